import { createHash } from 'node:crypto'
import { renderPdf } from '../../src/billing/document/pdf.ts'
import { sampleDocuments } from '../billing/sample-documents.ts'

/** Prints the hash of every sample document, on Node, Deno or Bun. */
const hashes: Record<string, string> = {}
for (const [name, document] of Object.entries(sampleDocuments))
  hashes[name] = createHash('sha256')
    .update(await renderPdf(document))
    .digest('hex')
console.log(JSON.stringify(hashes))
