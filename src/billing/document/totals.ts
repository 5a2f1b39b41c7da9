import type { PrintedDocument } from './document.ts'
import { drawRight, drawRule, drawText, heightLeft, ink, type Sheet, styles, type TextStyle } from './sheet.ts'
import { namedSums } from './wording.ts'

type Sum = { readonly name: string; readonly amountMinor: number; readonly style: TextStyle; readonly isRuled?: true }

const ROW = 17
const WIDTH = 286

/** The sums: without tax, tax by rate, total, and what has settled it. They stay together on one page. */
export const drawTotals = (sheet: Sheet, document: PrintedDocument, nextPage: () => void): void => {
  const sums = [...sumsOf(sheet, document), ...settlementOf(sheet, document)]
  if (sums.length * ROW + 32 > heightLeft(sheet)) nextPage()
  sheet.y += 8
  const x = sheet.right - WIDTH
  for (const { name, amountMinor, style, isRuled } of sums) {
    if (isRuled) drawRule(sheet, sheet.y + 3, ink, x)
    const y = sheet.y + (isRuled ? 9 : 3)
    drawText(sheet, name, style, { x, y, width: WIDTH - 90 })
    drawRight(sheet, sheet.values.money(amountMinor), style, { x: sheet.right, y, width: 86 })
    sheet.y += isRuled ? ROW + 8 : ROW
  }
  sheet.y += 14
}

const plain = (name: string, amountMinor: number): Sum => ({ name, amountMinor, style: styles.body })
const unless0 = (name: string, amountMinor: number): readonly Sum[] =>
  amountMinor === 0 ? [] : [plain(name, amountMinor)]

const sumsOf = ({ values }: Sheet, document: PrintedDocument): readonly Sum[] => [
  ...namedSums(values, document).map(([name, amountMinor]) => plain(name, amountMinor)),
  { name: values.texts.total, amountMinor: document.totalMinor, style: styles.strong, isRuled: true },
]

const settlementOf = ({ values: { texts } }: Sheet, document: PrintedDocument): readonly Sum[] => {
  if (document.kind === 'credit_note')
    return [
      ...unless0(texts.dueReduced, document.dueReducedMinor),
      ...unless0(texts.toCredit, document.creditMinor),
      ...unless0(texts.toBeRefunded, document.refundsMinor),
    ]
  const paid = [
    ...unless0(texts.creditApplied, -document.creditAppliedMinor),
    ...unless0(texts.creditNotes, -document.creditNotesMinor),
    ...unless0(texts.paid, -document.amountPaidMinor),
  ]
  const due = { name: texts.due, amountMinor: document.amountDueMinor, style: styles.lead, isRuled: true } as const
  return paid.length > 0 || document.number !== null ? [...paid, due] : []
}
