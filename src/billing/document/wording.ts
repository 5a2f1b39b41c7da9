import type { PrintedDocument, PrintedLine } from './document.ts'
import type { DocumentValues } from './values.ts'

/** What documents say besides their values. The PDF and the preview in the browser say the same. */

/** `Invoice INV-2026-0001` */
export const documentTitle = (
  { texts }: DocumentValues,
  { kind, number }: Pick<PrintedDocument, 'kind' | 'number'>,
): string =>
  number === null ? texts.draftTitle[kind] : `${kind === 'invoice' ? texts.invoice : texts.creditNote} ${number}`

/** The period of the line, and why no tax is on it. */
export const remarkOfLine = (
  { texts, date }: DocumentValues,
  { periodStart, periodEnd, taxCategory }: PrintedLine,
): string => {
  const [start, end] = [periodStart, periodEnd].map(day => day && date(day))
  const period = start && end ? texts.period(start, end) : start ? texts.from(start) : end ? texts.until(end) : ''
  const category = taxCategory === 'standard' ? '' : texts.categories[taxCategory]
  return [period, category].filter(each => each !== '').join(' · ')
}

type NamedSum = readonly [name: string, amountMinor: number]

/** The sum without tax, and the tax by rate. */
export const namedSums = (
  { texts, money, rate }: DocumentValues,
  { taxes, subtotalMinor }: Pick<PrintedDocument, 'taxes' | 'subtotalMinor'>,
): readonly NamedSum[] => [
  [texts.subtotal, subtotalMinor],
  ...taxes.map(({ taxCategory, taxRateBps, netMinor, taxMinor }): NamedSum => {
    const category = taxCategory === 'standard' ? '' : ` (${texts.categories[taxCategory]})`
    return [texts.taxOf(`${rate(taxRateBps)}${category}`, money(netMinor)), taxMinor]
  }),
]

/** Each note once, after the meaning of its category. */
export const taxNotesOf = (
  { texts }: DocumentValues,
  { lines, taxBehavior, taxMinor }: Pick<PrintedDocument, 'lines' | 'taxBehavior' | 'taxMinor'>,
): readonly string[] => {
  const notes = lines.flatMap(({ taxCategory, taxNote }) => {
    const meaning = taxCategory === 'standard' || taxCategory === 'zero' ? null : texts.categoryNotes[taxCategory]
    const parts = [meaning, taxNote].filter(part => part !== null)
    return parts.length === 0 ? [] : [parts.join(' ')]
  })
  return [...new Set([...(taxBehavior === 'inclusive' && taxMinor !== 0 ? [texts.inclusive] : []), ...notes])]
}
