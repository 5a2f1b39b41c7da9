import type { PrintedDocument, PrintedLine } from './document.ts'
import { drawRight, drawRule, drawText, heightLeft, ink, measureText, type Sheet, styles } from './sheet.ts'
import { remarkOfLine } from './wording.ts'

const HEAD = 20
const PADDING = 6

/** The lines. A line is never split, and each page repeats the head of the table. */
export const drawLineTable = (sheet: Sheet, document: PrintedDocument, nextPage: () => void): void => {
  drawHead(sheet, document)
  for (const line of document.lines) {
    const height = rowHeight(sheet, line)
    if (height > heightLeft(sheet)) {
      nextPage()
      drawHead(sheet, document)
    }
    drawRow(sheet, line)
    sheet.y += height
    drawRule(sheet, sheet.y)
  }
}

/** A column of numbers is described by its right end. */
const columnsOf = ({ left, right }: Sheet) => ({
  description: { x: left, width: 228 },
  quantity: { x: left + 286, width: 54 },
  unitAmount: { x: left + 362, width: 72 },
  tax: { x: left + 408, width: 42 },
  amount: { x: right, width: right - left - 412 },
})

const drawHead = (sheet: Sheet, { taxBehavior }: PrintedDocument): void => {
  const { texts } = sheet.values
  const columns = columnsOf(sheet)
  const y = sheet.y
  drawText(sheet, texts.description, styles.head, { ...columns.description, y })
  drawRight(sheet, texts.quantity, styles.head, { ...columns.quantity, y })
  drawRight(sheet, texts.unitAmount, styles.head, { ...columns.unitAmount, y })
  drawRight(sheet, texts.tax, styles.head, { ...columns.tax, y })
  drawRight(sheet, taxBehavior === 'inclusive' ? texts.amountWithTax : texts.amount, styles.head, {
    ...columns.amount,
    y,
  })
  sheet.y += HEAD - 4
  drawRule(sheet, sheet.y, ink)
}

const drawRow = (sheet: Sheet, line: PrintedLine): void => {
  const { values } = sheet
  const { description, ...columns } = columnsOf(sheet)
  const y = sheet.y + PADDING
  const height = drawText(sheet, line.description, styles.body, { ...description, y })
  const period = remarkOfLine(sheet.values, line)
  if (period) drawText(sheet, period, styles.small, { ...description, y: y + height })
  if (line.quantity !== null) drawRight(sheet, values.quantity(line.quantity), styles.body, { ...columns.quantity, y })
  if (line.unitAmountMinor !== null)
    drawRight(sheet, values.money(line.unitAmountMinor), styles.body, { ...columns.unitAmount, y })
  drawRight(sheet, values.rate(line.taxRateBps), styles.body, { ...columns.tax, y })
  drawRight(sheet, values.money(line.amountMinor), styles.body, { ...columns.amount, y })
}

const rowHeight = (sheet: Sheet, line: PrintedLine): number => {
  const { width } = columnsOf(sheet).description
  const period = remarkOfLine(sheet.values, line)
  const texts = measureText(sheet, line.description, styles.body, width)
  return texts + (period ? measureText(sheet, period, styles.small, width) : 0) + 2 * PADDING - 1
}
