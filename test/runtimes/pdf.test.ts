import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { renderPdf } from '../../src/billing/document/pdf.ts'
import { sampleDocuments } from '../billing/sample-documents.ts'
import { runtimes } from './runtimes.ts'

const program = fileURLToPath(new URL('pdf-program.ts', import.meta.url))

test.each(Object.entries(runtimes))(
  'on %s documents have the same bytes as on Bun, and need no network',
  async (name, args) => {
    // Only Deno can be started without the permission to use the network.
    const without = args.map(arg => (arg === '--allow-all' ? '--allow-read' : arg))
    const child = spawn('npx', [...without, program], { stdio: ['ignore', 'pipe', 'ignore'] })
    child.once('error', () => {})
    const printed = await text(child.stdout)
    if (printed === '') return console.warn(`${name} is not available: its tests are skipped`)
    const own = Object.entries(sampleDocuments).map(async ([document, content]) => {
      const bytes = await renderPdf(content)
      return [document, createHash('sha256').update(bytes).digest('hex')] as const
    })
    expect(JSON.parse(printed)).toEqual(Object.fromEntries(await Promise.all(own)))
  },
  120_000,
)
