import { readFile } from 'node:fs/promises'
import { lazy } from '../../lazy.ts'
import { drawClosing } from './closing.ts'
import type { PrintedDocument } from './document.ts'
import { drawHeading } from './heading.ts'
import { drawLineTable } from './line-table.ts'
import { drawRight, drawText, openSheet, type Sheet, type SheetFonts, styles } from './sheet.ts'
import { drawTotals } from './totals.ts'
import { type DocumentValues, valuesIn } from './values.ts'
import { documentTitle } from './wording.ts'

/**
 * An invoice or a credit note as PDF. The same document gives the same bytes on every runtime: nothing in it depends on the
 * time or the machine, and it is not compressed, because runtimes compress differently. Postgres compresses what it stores.
 */
export const renderPdf = async (document: PrintedDocument): Promise<Uint8Array> => {
  // Imported here, because few processes render a document.
  const [fonts, { default: PDFDocument }] = [await loadFonts(), await import('pdfkit')]
  const values = valuesIn(document.locale, document.currency)
  const pdf = new PDFDocument({
    ...{ size: pageSizeOf(document), margin: 0, bufferPages: true, compress: false, pdfVersion: '1.7' },
    ...{ lang: document.locale, displayTitle: true, info: infoOf(values, document) },
  })
  const bytes = collect(pdf)
  const sheet = openSheet(pdf, fonts, values)
  draw(sheet, document)
  pdf.end()
  return bytes
}

const draw = (sheet: Sheet, document: PrintedDocument): void => {
  const nextPage = () => {
    sheet.pdf.addPage()
    sheet.y = 56
  }
  drawHeading(sheet, document)
  drawLineTable(sheet, document, nextPage)
  drawTotals(sheet, document, nextPage)
  drawClosing(sheet, document, nextPage)
  drawFooters(sheet, document)
}

const drawFooters = (sheet: Sheet, document: PrintedDocument): void => {
  const { pdf, values, left, right, width, bottom } = sheet
  const { start, count } = pdf.bufferedPageRange()
  const name = [document.seller.legalName, documentTitle(sheet.values, document)]
    .filter(part => part !== null)
    .join(' · ')
  const watermark = watermarkOf(values, document)
  for (let page = start; page < start + count; page++) {
    pdf.switchToPage(page)
    if (watermark !== undefined) drawWatermark(sheet, watermark)
    const y = bottom + 28
    drawText(sheet, name, styles.small, { x: left, y, width: width - 100 })
    drawRight(sheet, values.texts.page(page + 1, count), styles.small, { x: right, y, width: 90 })
  }
}

/** No page may be taken for one of a valid document. Its heading says more. */
const watermarkOf = ({ texts }: DocumentValues, document: PrintedDocument): string | undefined => {
  if (document.number === null) return texts.draft
  if (document.isTest) return texts.test
  return document.kind === 'invoice' && document.canceledBy ? texts.void : undefined
}

const drawWatermark = ({ pdf }: Sheet, text: string): void => {
  const { width, height } = pdf.page
  pdf.save()
  pdf.rotate(-52, { origin: [width / 2, height / 2] })
  pdf.font('semibold').fontSize(120).fillColor('#16181d').fillOpacity(0.06)
  const textWidth = pdf.widthOfString(text)
  pdf.text(text, (width - textWidth) / 2, height / 2 - 70, { lineBreak: false })
  pdf.restore()
}

/** North America prints on other paper than the rest of the world. */
const pageSizeOf = ({ seller }: PrintedDocument): 'LETTER' | 'A4' =>
  seller.address !== null && ['US', 'CA', 'MX', 'PH'].includes(seller.address.country) ? 'LETTER' : 'A4'

/** The ID of the file is derived from these. */
const infoOf = (values: DocumentValues, document: PrintedDocument): PDFKit.DocumentInfo => ({
  Title: documentTitle(values, document),
  Author: document.seller.legalName ?? '',
  CreationDate: new Date(document.issueDate ?? '2000-01-01'),
})

/** Inter, cut to the Latin, Greek and Cyrillic letters, with figures of one width so that amounts are in columns. */
const loadFonts = lazy(async (): Promise<SheetFonts> => {
  const read = (name: string) => readFile(new URL(`fonts/${name}.ttf`, import.meta.url))
  return { regular: await read('inter-regular'), semibold: await read('inter-semibold') }
})

const collect = async (pdf: PDFKit.PDFDocument): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of pdf) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}
