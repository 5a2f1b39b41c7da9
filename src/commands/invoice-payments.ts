import type { Invoice } from '../../machines/invoice-events.ts'
import { amountDueMinor, processingMinor } from '../../machines/invoice-rules.ts'
import type { Actor } from '../actors/kind.ts'
import { Refusal, refuse } from '../errors.ts'
import type { Sql } from '../postgres/connect.ts'
import { findLinkOf, type VisitedLink } from '../queries/checkouts.ts'
import { StalePlan } from '../queries/invoice-issue.ts'
import type { VisitedInvoice } from '../queries/invoice-pages.ts'
import { findInvoice } from '../queries/invoices.ts'
import type { AssetChoice } from './checkout-offers.ts'
import { type CheckoutServices, type OpenedCheckout, openCheckout } from './checkouts.ts'
import { untilCurrent } from './finalizations.ts'

/** What a new payment is for: what is due, without what other payments are about to pay. */
export const payableMinor = ({ state, context }: Actor<Invoice>): number =>
  isPayable(state, context) ? Math.max(0, amountDueMinor(context) - processingMinor(context)) : 0

const isPayable = (state: string, { paymentLinkId }: Invoice): boolean =>
  state === 'open' || state === 'uncollectible' || (state === 'draft' && paymentLinkId !== null)

/** The link of an invoice, for what can be paid now. Undefined if nothing can. */
export const findPayableLink = async (sql: Sql, invoice: Actor<Invoice>): Promise<VisitedLink | undefined> => {
  const { paymentLinkId } = invoice.context
  const amountMinor = payableMinor(invoice)
  return paymentLinkId === null || amountMinor === 0 ? undefined : findLinkOf(sql, { paymentLinkId, amountMinor })
}

/**
 * Opens a payment for what is due of an invoice. Several can be open: what they receive together and is not due becomes
 * credit of the customer.
 */
export const openInvoicePayment = async (
  services: CheckoutServices,
  { invoice, customer }: VisitedInvoice,
  opening: { readonly asset: AssetChoice | undefined; readonly cause: string },
): Promise<OpenedCheckout> => {
  const { sql } = services
  const { merchantId, livemode } = invoice.context
  return untilCurrent(async attempt => {
    const found = attempt === 0 ? invoice : await findInvoice(sql, { id: invoice.id, merchantId, livemode })
    const link = found && (await findPayableLink(sql, found))
    if (!link) return refuse('state_conflict', { details: { status: found?.state } })
    const payer = { customerEmail: customer.email, customerName: customer.name }
    try {
      return await openCheckout(services, { ...link, customerId: customer.id }, payer, { ...opening, invoice: found })
    } catch (error) {
      // Another commit is changing it, such as that of another payment.
      if (error instanceof StalePlan) return undefined
      // It was voided after it was read, which closes its link.
      throw error instanceof Refusal && error.code === 'payment_link_not_active' ? new Refusal('invoice_void') : error
    }
  })
}
