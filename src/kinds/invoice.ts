import { invoiceMachine } from '../../machines/invoice.ts'
import type { Invoice } from '../../machines/invoice-events.ts'
import type { Kind } from '../actors/kind.ts'
import { resources } from '../resources.ts'
import { renderInvoiceEvent } from './invoice-record.ts'
import { published } from './published.ts'

export const invoiceKind: Kind<Invoice> = {
  name: 'invoice',
  table: resources.invoice.table,
  machine: invoiceMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    apiVersion: 'text',
    customerId: 'uuid',
    testClockId: 'uuid',
    currency: 'text',
    taxBehavior: 'text',
    lines: 'json',
    taxes: 'json',
    subtotalMinor: 'minor',
    taxMinor: 'minor',
    totalMinor: 'minor',
    daysUntilDue: 'integer',
    dueDate: 'text',
    reference: 'text',
    orderNumber: 'text',
    notes: 'text',
    assets: 'json',
    reminderOffsets: 'json',
    metadata: 'json',
    subscriptionId: 'uuid',
    periodIndex: 'integer',
    periodStart: 'time',
    periodEnd: 'time',
    number: 'text',
    seriesId: 'uuid',
    sequence: 'integer',
    issuedAt: 'time',
    issueDate: 'text',
    dueAt: 'time',
    seller: 'json',
    customer: 'json',
    partySalt: 'text',
    partyHash: 'text',
    customerErased: 'boolean',
    documentHash: 'text',
    previousDocumentHash: 'text',
    reminders: 'json',
    retainedUntil: 'time',
    creditAppliedMinor: 'minor',
    paymentLinkId: 'uuid',
    tokenHash: 'text',
    sealedToken: 'text',
    creditNotesMinor: 'minor',
    amountPaidMinor: 'minor',
    amountProcessingMinor: 'atomic',
    amountOverpaidMinor: 'minor',
    amountRefundedMinor: 'minor',
    uncreditedRefundsMinor: 'minor',
    allocations: 'json',
    creditNoteIds: 'json',
    overdue: 'boolean',
    duePassed: 'boolean',
    remindersPassed: 'integer',
    remindedOffset: 'integer',
    remindedAt: 'time',
    paidAt: 'time',
    voidedAt: 'time',
    voidReason: 'text',
  },
  // Without the parties, texts and secrets.
  history: [
    'customerId',
    'testClockId',
    'currency',
    'subscriptionId',
    'periodIndex',
    'totalMinor',
    'number',
    'sequence',
    'issuedAt',
    'issueDate',
    'dueDate',
    'dueAt',
    'documentHash',
    'previousDocumentHash',
    'paymentLinkId',
    'creditAppliedMinor',
    'creditNotesMinor',
    'amountPaidMinor',
    'amountProcessingMinor',
    'amountOverpaidMinor',
    'amountRefundedMinor',
    'uncreditedRefundsMinor',
    'creditNoteIds',
    'overdue',
    'duePassed',
    'remindersPassed',
    'remindedOffset',
    'remindedAt',
    'paidAt',
    'voidedAt',
  ],
  timers: {
    dueDate: ({ dueAt, duePassed }) => (duePassed ? null : dueAt),
    reminder: ({ reminders, remindersPassed }) => {
      const next = reminders[remindersPassed]
      return next ? new Date(next.at) : null
    },
  },
  writes: {
    joinCustomer: ({ context: { customerId } }) => ({ function: 'join_customer', given: { customer: customerId } }),
  },
  effects: {
    // One job per invoice: `paid` and `void` are final.
    cancelPayments: ({ id, context: { paymentLinkId } }) =>
      paymentLinkId === null
        ? null
        : { task: 'cancel-payments', payload: { invoiceId: id }, key: `cancel-payments:${id}` },
    // Payments name no subscription: a late job changes nothing, because the boundary of a period reads the invoice too.
    renewSubscription: ({ id, context: { subscriptionId, paidAt } }) =>
      subscriptionId === null
        ? null
        : {
            task: 'renew-subscription',
            payload: { subscriptionId, invoiceId: id, paidAt: paidAt?.toISOString() ?? '' },
          },
  },
  publish: published(renderInvoiceEvent),
  refusals: {
    invoices_period_once: 'period_invoiced',
    invoice_unlocked: 'invoice_changing',
    invoice_unsettled: 'invoice_settled',
  },
  testClock: 'testClockId',
}
