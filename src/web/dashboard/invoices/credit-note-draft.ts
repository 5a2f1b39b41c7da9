import { type CreditRequest, type SummedCreditNote, sumCreditNote } from '../../../billing/credit-note-sums.ts'
import type { CreditNoteWithLines, InvoiceWithLines } from '../../api/calls.ts'
import { parseAmount } from '../links/amount.ts'
import { quantityIn } from './typed-quantity.ts'

type LineKind = 'quantity' | 'amountMinor'

/** What is typed for a line. An empty text: nothing of it is credited. */
export type CreditedLineDraft = { readonly kind: LineKind; readonly text: string }

export type LineRest = { readonly lineId: string; readonly quantity: string | null; readonly amountMinor: number }

/** What is not credited yet, by line; by amount only where the quantity is not known any more. */
export const restsOf = (invoice: InvoiceWithLines, issued: readonly CreditNoteWithLines[]): readonly LineRest[] => {
  const whole = sumCreditNote(invoice, issued, { whole: true })
  return whole.ok ? whole.sums.lines : []
}

export type LineFault = 'wrong' | 'exceeds'

export type ReadDraft = {
  readonly request: CreditRequest
  readonly faults: Readonly<Record<string, LineFault>>
  /** Undefined while it has faults. */
  readonly summed: SummedCreditNote | undefined
}

/** The request that the typed texts mean, its sums as the server computes them, and what is wrong at each line. */
export const readCreditedLines = (
  invoice: InvoiceWithLines,
  issued: readonly CreditNoteWithLines[],
  drafts: Readonly<Record<string, CreditedLineDraft>> | 'whole',
): ReadDraft => {
  if (drafts === 'whole') {
    const request = { whole: true } as const
    return { request, faults: {}, summed: sumCreditNote(invoice, issued, request) }
  }
  const faults: Record<string, LineFault> = {}
  const lines = invoice.lines.flatMap(({ id: lineId, amountMinor }) => {
    const draft = drafts[lineId]
    if (!draft || draft.text.trim() === '') return []
    const value = readValue(draft, amountMinor < 0)
    if (value === undefined) faults[lineId] = 'wrong'
    return value === undefined ? [] : [{ lineId, ...value }]
  })
  const request = { lines }
  if (Object.keys(faults).length > 0) return { request, faults, summed: undefined }
  const summed = sumCreditNote(invoice, issued, request)
  const at = summed.ok ? undefined : /^lines\.(\d+)/.exec(summed.param ?? '')?.[1]
  const refused = at === undefined ? undefined : lines[Number(at)]?.lineId
  return { request, faults: refused === undefined ? {} : { [refused]: 'exceeds' }, summed }
}

/** An amount of a discount is typed without its sign. */
const readValue = ({ kind, text }: CreditedLineDraft, isDiscount: boolean) => {
  if (kind === 'quantity') {
    const quantity = quantityIn(text)
    return quantity === undefined ? undefined : { quantity }
  }
  const amountMinor = parseAmount(text.trim().replace(/^[-−]/, ''))
  return amountMinor === undefined ? undefined : { amountMinor: isDiscount ? -amountMinor : amountMinor }
}

/** Fills the payments in their order until the rest is refunded. */
export const spreadRest = (restMinor: number, mosts: readonly number[]): readonly number[] => {
  let left = restMinor
  return mosts.map(most => {
    const amount = Math.min(left, most)
    left -= amount
    return amount
  })
}
