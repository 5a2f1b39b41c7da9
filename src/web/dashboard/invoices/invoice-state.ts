import type { InvoiceWithLines } from '../../api/calls.ts'
import type { StatePath } from '../../parts/state-strip.tsx'
import type { Formats } from '../../text/format.ts'
import type { InvoicesTexts } from './texts.ts'

/** How far an invoice got on its main path. */
export const invoicePath = (
  { status, overdue, amountPaidMinor }: Pick<InvoiceWithLines, 'status' | 'overdue' | 'amountPaidMinor'>,
  states: InvoicesTexts['states'],
): StatePath => {
  const words = [states.draft, states.open, states.paid]
  switch (status) {
    case 'draft':
      return { words, at: 0 }
    case 'open':
      return overdue
        ? { words, at: 1, word: states.overdue, shape: 'warn', tone: 'warn' }
        : { words, at: 1, tone: 'info', ...(amountPaidMinor > 0 && { word: states.partlyPaid }) }
    case 'paid':
      return { words, at: 2, shape: 'done', tone: 'good' }
    case 'uncollectible':
      return { words, at: 1, word: states.uncollectible, shape: 'over', tone: 'quiet' }
    case 'void':
      return { words, at: 1, word: states.void, shape: 'off', tone: 'quiet' }
  }
}

/** What is worth knowing beside the state, in a few words. */
export const invoiceRemark = (
  { status, currency, amountPaidMinor, amountProcessingMinor }: InvoiceWithLines,
  { remarks }: InvoicesTexts,
  formats: Formats,
): string | undefined => {
  if (amountProcessingMinor > 0) return remarks.confirming(formats.money(amountProcessingMinor, currency))
  return status !== 'paid' && amountPaidMinor > 0 ? remarks.paid(formats.money(amountPaidMinor, currency)) : undefined
}

/** Whether it has ended without being paid. */
export const isInvoiceOver = ({ status }: Pick<InvoiceWithLines, 'status'>): boolean =>
  status === 'void' || status === 'uncollectible'
