import type { Services } from '../actors/services.ts'
import { listChangedInvoices, type VisitedInvoice } from '../queries/invoice-pages.ts'
import { checkoutInvoiceRecord } from '../records/checkout-invoice.ts'
import { openStreams, type StreamedState, type Streams } from './checkout-streams.ts'

/** The event streams of invoices of a process. */
export const openInvoiceStreams = ({ sql, log }: Pick<Services, 'sql' | 'log'>): Streams =>
  openStreams({
    log,
    look: async revisions =>
      new Map((await listChangedInvoices(sql, revisions)).map(each => [each.invoice.id, seenOfInvoice(each)])),
  })

/** The invoice as its customer reads it. */
export const customersInvoice = ({ invoice, merchantName }: VisitedInvoice) =>
  checkoutInvoiceRecord.render(invoice, { url: null, merchantName })

export const seenOfInvoice = (visited: VisitedInvoice): StreamedState => {
  const { rev } = visited.invoice
  const say = () => ({ id: String(rev), event: 'invoice' as const, data: JSON.stringify(customersInvoice(visited)) })
  return { rev, key: String(rev), say }
}
