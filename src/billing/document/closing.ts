import type { PrintedDocument } from './document.ts'
import { drawText, heightLeft, measureText, type Sheet, styles } from './sheet.ts'
import { taxNotesOf } from './wording.ts'

/** The legal notes about tax, then the notes of the merchant. A long text continues on the next page. */
export const drawClosing = (sheet: Sheet, document: PrintedDocument, nextPage: () => void): void => {
  const { texts } = sheet.values
  const parts = [
    [texts.taxNotes, taxNotesOf(sheet.values, document)],
    [texts.notes, document.notes?.split(/\r?\n/) ?? []],
  ] as const
  for (const [heading, lines] of parts) {
    const [first] = lines
    if (first === undefined) continue
    if (16 + roomFor(sheet, first) > heightLeft(sheet)) nextPage()
    drawPart(sheet, heading, { ...styles.head, size: 8.5 })
    for (const line of lines) drawParagraph(sheet, line, nextPage)
    sheet.y += 12
  }
}

const drawParagraph = (sheet: Sheet, text: string, nextPage: () => void): void => {
  // An empty line of the merchant's text.
  if (text.trim() === '') {
    sheet.y += 6
    return
  }
  if (roomFor(sheet, text) > heightLeft(sheet)) nextPage()
  let rest = text
  while (heightOfPart(sheet, rest) > heightLeft(sheet)) {
    const end = fittingEnd(sheet, rest)
    drawPart(sheet, rest.slice(0, end))
    rest = rest.slice(end).trimStart()
    nextPage()
  }
  drawPart(sheet, rest)
}

/** A paragraph begins on this page if it fits, or at least four lines of it. */
const roomFor = (sheet: Sheet, text: string): number => Math.min(heightOfPart(sheet, text), 56)

/** Where the text must be cut to fit on this page: after a word, or anywhere in a text without spaces. */
const fittingEnd = (sheet: Sheet, text: string): number => {
  const fits = (end: number) => heightOfPart(sheet, text.slice(0, end)) <= heightLeft(sheet)
  let [from, to] = [1, text.length]
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2)
    if (fits(middle)) from = middle
    else to = middle
  }
  const space = text.lastIndexOf(' ', from)
  return space > 0 ? space : from
}

const heightOfPart = (sheet: Sheet, text: string): number => measureText(sheet, text, styles.body, textWidth(sheet))

const drawPart = (sheet: Sheet, text: string, style = styles.body as { readonly size: number }): void => {
  sheet.y += drawText(sheet, text, style, { x: sheet.left, y: sheet.y, width: textWidth(sheet) }) + 2
}

/** A line of 90 characters can be read. */
const textWidth = ({ width }: Sheet): number => Math.min(width, 430)
