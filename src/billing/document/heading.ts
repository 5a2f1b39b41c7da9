import type { PrintedDocument } from './document.ts'
import { customerLines, sellerLines } from './party.ts'
import { drawText, measureText, type Sheet, styles, type TextStyle } from './sheet.ts'
import { documentTitle } from './wording.ts'

/** Where an envelope with a window shows the address of the customer (DIN 5008, C6/5 and C5). */
const WINDOW_TOP = 136
const FACTS_WIDTH = 190

/** The two parties, the facts of the document and its title. */
export const drawHeading = (sheet: Sheet, document: PrintedDocument): void => {
  drawSeller(sheet, document)
  const ends = [drawCustomer(sheet, document), drawFacts(sheet, document)]
  sheet.y = Math.max(...ends, 232) + 16
  const { left: x, width } = sheet
  sheet.y += drawText(sheet, documentTitle(sheet.values, document), styles.title, { x, y: sheet.y, width }) + 4
  const lead = leadOf(sheet, document)
  if (lead !== undefined) sheet.y += drawText(sheet, lead, styles.lead, { x, y: sheet.y, width })
  for (const hint of hintsOf(sheet, document))
    sheet.y += 2 + drawText(sheet, hint, styles.small, { x, y: sheet.y + 2, width })
  sheet.y += 18
}

const drawSeller = (sheet: Sheet, document: PrintedDocument): void => {
  const [name = '', ...address] = sellerLines(document)
  const { left, right, width } = sheet
  drawText(sheet, name, { ...styles.lead, size: 13 }, { x: left, y: sheet.y, width: width - FACTS_WIDTH - 20 })
  const lines = [...address, ...taxIdLines(sheet, document.seller.taxId)]
  drawLines(sheet, lines, styles.small, { x: right - FACTS_WIDTH, y: sheet.y, width: FACTS_WIDTH })
}

const drawCustomer = (sheet: Sheet, document: PrintedDocument): number => {
  const [name = '', ...address] = customerLines(document)
  const box = { x: sheet.left, y: WINDOW_TOP, width: 250 }
  const y = WINDOW_TOP + drawText(sheet, name, styles.strong, box)
  return drawLines(sheet, [...address, ...taxIdLines(sheet, document.customer.taxId)], styles.body, { ...box, y })
}

const taxIdLines = ({ values }: Sheet, taxId: string | null): readonly string[] =>
  taxId === null ? [] : [values.texts.taxId(taxId)]

/** Returns where the lines end. */
const drawLines = (
  sheet: Sheet,
  lines: readonly string[],
  style: TextStyle,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
): number => lines.reduce((at, line) => at + drawText(sheet, line, style, { x, y: at, width }), y)

/** Returns where the facts end. */
const drawFacts = (sheet: Sheet, document: PrintedDocument): number => {
  const x = sheet.right - FACTS_WIDTH
  const label = 84
  return factsOf(sheet, document).reduce((y, [name, value]) => {
    const box = { x: x + label, y, width: FACTS_WIDTH - label }
    drawText(sheet, name, { ...styles.small, size: 8.5 }, { x, y: y + 0.8, width: label - 6 })
    const height = Math.max(measureText(sheet, value, styles.body, box.width), 12)
    drawText(sheet, value, styles.body, box)
    return y + height + 3
  }, WINDOW_TOP)
}

type Fact = readonly [name: string, value: string]

const factsOf = ({ values }: Sheet, document: PrintedDocument): readonly Fact[] => {
  const { texts, date } = values
  const { number, issueDate, orderNumber, reference } = document
  const fact = (name: string, value: string | null): readonly Fact[] => (value === null ? [] : [[name, value]])
  const day = (name: string, value: string | null) => fact(name, value && date(value))
  return [
    ...fact(texts.number, number ?? texts.draft),
    ...day(texts.issueDate, issueDate),
    ...(document.kind === 'invoice'
      ? day(texts.dueDate, document.canceledBy ? null : document.dueDate)
      : [
          ...fact(texts.forInvoice, texts.ofInvoice(document.invoice.number, date(document.invoice.issueDate))),
          ...fact(texts.reason, texts.reasons[document.reason]),
        ]),
    ...fact(texts.orderNumber, orderNumber),
    ...fact(texts.reference, reference),
  ]
}

const leadOf = ({ values }: Sheet, document: PrintedDocument): string | undefined => {
  const { texts, money, date } = values
  if (document.number === null) return texts.draftNote
  if (document.kind === 'credit_note') return undefined
  if (document.canceledBy) return texts.canceledBy(document.canceledBy.number, date(document.canceledBy.issueDate))
  if (document.amountDueMinor === 0) return texts.settled
  return document.dueDate === null ? undefined : texts.dueBy(money(document.amountDueMinor), date(document.dueDate))
}

/**
 * How to pay, and that the document is a test. The address of the page of the invoice is not printed: it is a secret that can
 * be replaced, and readers of documents may not see it.
 */
const hintsOf = ({ values: { texts } }: Sheet, document: PrintedDocument): readonly string[] => {
  const { legalName } = document.seller
  const asksForMoney = document.kind === 'invoice' && document.number !== null && document.amountDueMinor > 0
  return [
    ...(asksForMoney && legalName !== null ? [texts.payOnline(legalName.replace(/\.$/, ''))] : []),
    ...(document.isTest ? [texts.testNote] : []),
  ]
}
