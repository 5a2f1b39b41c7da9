import type { InvoiceEvent } from '../../machines/invoice-events.ts'
import { paymentMachine } from '../../machines/payment.ts'
import type { Payment, PaymentEvent } from '../../machines/payment-events.ts'
import type { PaymentLinkEvent } from '../../machines/payment-link.ts'
import type { Kind } from '../actors/kind.ts'
import { resources } from '../resources.ts'
import { paymentRecord } from './payment-record.ts'
import { published } from './published.ts'

export const paymentKind: Kind<Payment> = {
  name: 'payment',
  table: resources.payment.table,
  machine: paymentMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    apiVersion: 'text',
    paymentLinkId: 'uuid',
    customerId: 'uuid',
    invoiceId: 'uuid',
    amountMinor: 'minor',
    currency: 'text',
    customerEmail: 'text',
    customerName: 'text',
    reference: 'text',
    metadata: 'json',
    toleranceBps: 'integer',
    latePolicy: 'text',
    expiresAt: 'time',
    chainId: 'minor',
    asset: 'text',
    tokenAddress: 'text',
    decimals: 'integer',
    address: 'text',
    amountExpected: 'atomic',
    confirmationsRequired: 'integer',
    pegged: 'boolean',
    quoteRate: 'text',
    quoteSource: 'text',
    quoteExpiresAt: 'time',
    scan: 'minor',
    amountReceived: 'atomic',
    amountFinal: 'atomic',
    receivedMinor: 'minor',
    payerAddress: 'text',
    txHash: 'text',
    blockNumber: 'minor',
    stray: 'text',
    finalStrays: 'integer',
    announced: 'json',
    collectionUnexplained: 'boolean',
    windowLengthened: 'boolean',
    exception: 'text',
    failureReason: 'text',
    attention: 'boolean',
    refundsReservedMinor: 'minor',
    amountRefundedMinor: 'minor',
  },
  history: [
    'amountMinor',
    'currency',
    'expiresAt',
    'chainId',
    'asset',
    'address',
    'amountExpected',
    'amountReceived',
    'amountFinal',
    'receivedMinor',
    'txHash',
    'blockNumber',
    'exception',
    'failureReason',
    'attention',
    'refundsReservedMinor',
    'amountRefundedMinor',
  ],
  writes: {
    joinCustomer: ({ context: { customerId } }) => ({ function: 'join_customer', given: { customer: customerId } }),
    joinInvoice: ({ context: { invoiceId } }) =>
      invoiceId === null ? null : { function: 'join_invoice', given: { invoice: invoiceId } },
  },
  publish: published(payment => paymentRecord.render(payment)),
}

/** Events of a payment that its payment link counts, and the link's event in the same bundle. */
export const linkEventOf: { readonly [Type in PaymentEvent['type']]?: PaymentLinkEvent['type'] } = {
  enough_seen: 'payment_processing',
  reorganized: 'payment_reverted',
  finalized: 'payment_succeeded',
  late_accepted: 'payment_accepted',
  accept: 'payment_accepted',
}

type PaymentEventOfInvoice = Extract<InvoiceEvent['type'], 'payment_processing' | 'payment_reverted' | 'money_counted'>

/** Events of a payment that can change what counts for its invoice, and the invoice's event in the same bundle. */
export const invoiceEventOf: { readonly [Type in PaymentEvent['type']]?: PaymentEventOfInvoice } = {
  enough_seen: 'payment_processing',
  reorganized: 'payment_reverted',
  amount_finalized: 'money_counted',
  finalized: 'money_counted',
  late_accepted: 'money_counted',
  late_finalized: 'money_counted',
  accept: 'money_counted',
}
