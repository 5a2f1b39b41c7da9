import type { Invoice } from '../../machines/invoice-events.ts'
import { amountDueMinor, processingMinor } from '../../machines/invoice-rules.ts'
import type { Actor } from '../actors/kind.ts'
import { Refusal, refuse } from '../errors.ts'
import type { Sql } from '../postgres/connect.ts'
import { findLinkOf, type VisitedLink } from '../queries/checkouts.ts'
import type { VisitedInvoice } from '../queries/invoice-pages.ts'
import type { AssetChoice } from './checkout-offers.ts'
import { type CheckoutServices, type OpenedCheckout, openCheckout } from './checkouts.ts'

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
  const link = await findPayableLink(services.sql, invoice)
  if (!link) return refuse('state_conflict', { details: { status: invoice.state } })
  const payer = { customerEmail: customer.email, customerName: customer.name }
  try {
    return await openCheckout(services, { ...link, customerId: customer.id }, payer, { ...opening, invoice })
  } catch (error) {
    // It was voided after it was read, which closes its link.
    throw error instanceof Refusal && error.code === 'payment_link_not_active' ? new Refusal('invoice_void') : error
  }
}
