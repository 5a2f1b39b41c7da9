import type { InvoiceWithLines } from '../../api/calls.ts'

/** The invoices for which no money was sent: a change of the subscription voids them. */
export const unpaidOf = (invoices: readonly InvoiceWithLines[]): readonly InvoiceWithLines[] =>
  invoices.filter(
    ({ status, amountPaidMinor, amountProcessingMinor }) =>
      status === 'open' && amountPaidMinor + amountProcessingMinor === 0,
  )
