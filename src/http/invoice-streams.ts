import type { Services } from '../actors/services.ts'
import { listChangedInvoices, type VisitedInvoice } from '../queries/invoice-pages.ts'
import { checkoutInvoiceRecord } from '../records/checkout-invoice.ts'
import { openStreams, type StreamedState, type Streams } from './checkout-streams.ts'

/** The event streams of invoices of a process. */
export const openInvoiceStreams = ({ sql, log }: Pick<Services, 'sql' | 'log'>): Streams =>
  openStreams({
    log,
    look: async revisions => {
      const changed = await listChangedInvoices(sql, revisions)
      return new Map(changed.map(({ key, ...each }) => [key, key === streamKeyOf(each) ? seenOfInvoice(each) : 'over']))
    },
  })

/** A stream belongs to the address with which it was opened, and ends when the invoice gets another one. */
export const streamKeyOf = ({ invoice: { id, context } }: VisitedInvoice): string => `${id} ${context.tokenHash}`

/** The invoice as its customer reads it. */
export const customersInvoice = ({ invoice, merchantName }: VisitedInvoice) =>
  checkoutInvoiceRecord.render(invoice, { url: null, merchantName })

export const seenOfInvoice = (visited: VisitedInvoice): StreamedState => {
  const { rev } = visited.invoice
  const say = () => ({ id: String(rev), event: 'invoice' as const, data: JSON.stringify(customersInvoice(visited)) })
  return { rev, key: String(rev), say }
}
