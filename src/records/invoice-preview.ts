import type { PreviewedInvoice } from '../commands/subscription-invoices.ts'
import { constantField, idField } from '../fields/every-record.ts'
import { recordOf } from '../fields/record.ts'
import { count, flag, minor, text, time } from '../fields/wire.ts'
import { invoiceLine, invoiceReadRecord, invoiceTax } from './invoice.ts'

const { currency, taxBehavior, subtotalMinor, taxMinor, totalMinor } = invoiceReadRecord.fields

/** The next invoice of a subscription, before it is issued. */
export const invoicePreviewRecord = recordOf<PreviewedInvoice>()('InvoicePreview', {
  object: constantField('invoice_preview'),
  subscriptionId: {
    ...idField('subscription', ({ content }: PreviewedInvoice) => content.subscriptionId),
    about: 'Subscription that it is for.',
  },
  customerId: {
    ...idField('customer', ({ content }: PreviewedInvoice) => content.customerId),
    about: 'Customer that it is for.',
  },
  periodIndex: {
    type: count,
    about: 'Period of the subscription that the invoice is for. The first one is 0.',
    example: 2,
    of: ({ content }) => content.periodIndex,
  },
  periodStart: {
    type: time,
    about: 'Beginning of the period.',
    example: '2027-01-20T12:00:00.000Z',
    of: ({ period }) => period.start.toISOString(),
  },
  periodEnd: {
    type: time,
    about: 'End of the period, at which the next one begins.',
    example: '2027-02-20T12:00:00.000Z',
    of: ({ period }) => period.end.toISOString(),
  },
  finalizesAt: {
    type: time,
    about: 'Time at which it is finalized. In `past_due` not before the invoice that is owed is paid.',
    example: '2027-01-13T12:00:00.000Z',
    of: ({ finalizesAt }) => finalizesAt.toISOString(),
  },
  dueDate: {
    type: text,
    about: 'Its due date, `YYYY-MM-DD` in your time zone: the day on which the period begins.',
    example: '2027-01-20',
    of: ({ dueDate }) => dueDate,
  },
  currency: { ...currency, of: ({ content }) => content.currency },
  taxBehavior: { ...taxBehavior, of: ({ content }) => content.taxBehavior },
  lines: {
    inside: invoiceLine.inside,
    type: () => invoiceLine.type().array(),
    about: 'Its lines.',
    example: [invoiceLine.example],
    of: ({ content }) => content.lines.map(each => invoiceLine.render(each)),
  },
  taxes: {
    inside: invoiceTax.inside,
    type: () => invoiceTax.type().array(),
    about: 'The sums of each tax category and rate.',
    example: [invoiceTax.example],
    of: ({ content }) => content.taxes.map(each => invoiceTax.render(each)),
  },
  subtotalMinor: { ...subtotalMinor, of: ({ content }) => content.subtotalMinor },
  taxMinor: { ...taxMinor, of: ({ content }) => content.taxMinor },
  totalMinor: { ...totalMinor, of: ({ content }) => content.totalMinor },
  creditAppliedMinor: {
    type: minor,
    about: 'How much would be paid from the credit that the customer has now.',
    example: 0,
    of: ({ creditAppliedMinor }) => creditAppliedMinor,
  },
  amountDueMinor: {
    type: minor,
    about: 'What the customer would have to pay: `totalMinor` without `creditAppliedMinor`.',
    example: 5831,
    of: ({ content, creditAppliedMinor }) => content.totalMinor - creditAppliedMinor,
  },
  livemode: {
    type: flag,
    example: false,
    of: ({ content }) => content.livemode,
  },
})
