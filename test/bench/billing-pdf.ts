import type { PrintedDocument } from '../../src/billing/document/document.ts'
import { renderPdf } from '../../src/billing/document/pdf.ts'
import { sampleDocuments } from '../billing/sample-documents.ts'
import type { Bench } from './bench.ts'
import { median, milliseconds, percentile } from './promises.ts'

export type PdfSizes = {
  /** Renderings of each document. */
  readonly renderings: number
}

/** How long the rendering of a document takes, by its number of lines. The first one of the process loads the library. */
export const promisePdf = async ({ print, report }: Bench, { renderings }: PdfSizes): Promise<void> => {
  for (const lines of [1, 20, 100]) {
    const document = documentWith(lines)
    const took: number[] = []
    for (let n = 0; n < renderings; n++) {
      const began = performance.now()
      await renderPdf(document)
      took.push(performance.now() - began)
    }
    const p95 = percentile(took, 0.95)
    print(`a PDF of ${lines} lines: p50 ${milliseconds(median(took))}, p95 ${milliseconds(p95)}`)
    report.atMost(`a PDF of ${lines} lines, p95`, p95, 300, { as: milliseconds })
  }
}

/** Its sums are not those of its lines, which does not matter to the rendering. */
const documentWith = (count: number): PrintedDocument => {
  const sample = sampleDocuments['invoice-de']
  const [line] = sample?.lines ?? []
  if (!sample || !line) throw new Error('There is no sample of an invoice with a line')
  return { ...sample, lines: Array.from({ length: count }, () => line) }
}
