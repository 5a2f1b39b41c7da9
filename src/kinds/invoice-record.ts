import { type Type, type } from 'arktype'
import { invoiceMachine } from '../../machines/invoice.ts'
import type { Invoice, InvoicePeriod } from '../../machines/invoice-events.ts'
import { amountDueMinor, processingMinor } from '../../machines/invoice-rules.ts'
import type { Actor } from '../actors/kind.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { example, exampleId } from '../fields/examples.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { type Shape, shape } from '../fields/shape.ts'
import {
  chainId,
  count,
  currency,
  flag,
  idOf,
  minor,
  signedMinor,
  textOrNull,
  texts,
  timeOrNull,
} from '../fields/wire.ts'
import { encodeId } from '../ids.ts'
import { lazy } from '../lazy.ts'

/** Deleted drafts are not shown. */
export const invoiceStatus = lazy(() =>
  type.enumerated(...Object.keys(invoiceMachine.states).filter(state => state !== 'deleted')),
)

type InvoicedPeriod = InvoicePeriod & { readonly subscriptionId: string; readonly periodIndex: number }

const period = groupOf<InvoicedPeriod>()({
  id: { ...idField('subscription', ({ subscriptionId }: InvoicedPeriod) => subscriptionId), about: 'Subscription.' },
  periodIndex: {
    type: count,
    about: 'Which period of the subscription the invoice is for. The first one is 0.',
    example: 1,
    of: ({ periodIndex }) => periodIndex,
  },
  periodStart: {
    type: timeOrNull,
    about: 'Beginning of the period. Null if the subscription begins when the invoice is paid.',
    example: '2026-12-20T12:00:00.000Z',
    of: ({ periodStart }) => periodStart?.toISOString() ?? null,
  },
  periodEnd: {
    type: timeOrNull,
    about: 'End of the period, at which the next one begins. Null if the subscription begins when the invoice is paid.',
    example: '2027-01-20T12:00:00.000Z',
    of: ({ periodEnd }) => periodEnd?.toISOString() ?? null,
  },
})

/** An invoice without what could make an event too large or is secret. Responses add the rest. */
export const invoiceRecord = recordOf<Actor<Invoice>>()('Invoice', {
  object: constantField('invoice'),
  id: idField('invoice', invoice => invoice.id),
  merchantId: actorFields.merchantId,
  customerId: {
    ...idField('customer', ({ context }: Actor<Invoice>) => context.customerId),
    about:
      'Customer that the invoice is for. If that customer was merged, responses name the one that has taken its place; events do not change.',
  },
  number: {
    type: textOrNull,
    about:
      'Number of the invoice, given when it is finalized. Numbers have no gaps. In test mode they begin with `TEST-`. Null for a draft.',
    example: 'TEST-INV-2026-0001',
    of: ({ context }) => context.number,
  },
  status: {
    type: invoiceStatus,
    about:
      '`draft`: can be changed and deleted. `open`: finalized, and something is due. `paid`: nothing is due; final. `uncollectible`: you have given it up, and it can still be paid. `void`: canceled with a credit note for the whole; final.',
    example: 'open',
    of: ({ state }) => state,
  },
  overdue: {
    type: flag,
    about: 'Whether the due date is over. True from the event `invoice.overdue` until the status changes.',
    example: false,
    of: ({ context }) => context.overdue,
  },
  currency: { type: currency, example: 'EUR', of: ({ context }) => context.currency },
  taxBehavior: {
    type: (): Type<'exclusive' | 'inclusive'> => type("'exclusive' | 'inclusive'"),
    about: 'Whether the unit amounts of the lines contain the tax (`inclusive`) or not (`exclusive`).',
    example: 'exclusive',
    of: ({ context }) => context.taxBehavior,
  },
  subtotalMinor: {
    type: signedMinor,
    about: 'Sum of the lines without tax, in the minor unit of the currency.',
    example: 4900,
    of: ({ context }) => context.subtotalMinor,
  },
  taxMinor: {
    type: signedMinor,
    about: 'Sum of the tax, in the minor unit of the currency.',
    example: 931,
    of: ({ context }) => context.taxMinor,
  },
  totalMinor: {
    type: minor,
    about: 'Sum of the lines with tax, in the minor unit of the currency.',
    example: 5831,
    of: ({ context }) => context.totalMinor,
  },
  creditAppliedMinor: {
    type: minor,
    about: 'How much was paid from the credit of the customer when the invoice was finalized.',
    example: 0,
    of: ({ context }) => context.creditAppliedMinor,
  },
  creditNotesMinor: {
    type: minor,
    about: 'How much its credit notes have reduced what was due: the sum of their `dueReducedMinor`.',
    example: 0,
    of: ({ context }) => context.creditNotesMinor,
  },
  amountPaidMinor: {
    type: minor,
    about: 'How much payments have paid of the invoice. Money that nothing was due for is not part of it.',
    example: 0,
    of: ({ context }) => context.amountPaidMinor,
  },
  amountProcessingMinor: {
    type: minor,
    about: 'Sum of the payments whose money was seen on the chain and is not final yet.',
    example: 0,
    of: ({ context }) => processingMinor(context),
  },
  amountDueMinor: {
    type: minor,
    about:
      'What is still due: `totalMinor` without `creditAppliedMinor`, `creditNotesMinor` and `amountPaidMinor`. For a draft the total.',
    example: 5831,
    of: ({ context }) => amountDueMinor(context),
  },
  amountOverpaidMinor: {
    type: minor,
    about:
      'Money that nothing was due for. It was added to the credit of the customer, unless the customer had been erased before or the balance would have become larger than 9007199254740991.',
    example: 0,
    of: ({ context }) => context.amountOverpaidMinor,
  },
  amountRefundedMinor: {
    type: minor,
    about: 'Sum of the processed refunds of its payments.',
    example: 0,
    of: ({ context }) => context.amountRefundedMinor,
  },
  uncreditedRefundsMinor: {
    type: minor,
    about:
      'The part of these refunds that returned what the invoice was paid with, and that the refunds of its credit notes do not cover.',
    example: 0,
    of: ({ context }) => context.uncreditedRefundsMinor,
  },
  reference: {
    type: textOrNull,
    about: 'Your own reference. Null if not set.',
    example: 'order 7',
    of: ({ context }) => context.reference,
  },
  orderNumber: {
    type: textOrNull,
    about: 'Order number of the customer. Null if not set.',
    example: null,
    of: ({ context }) => context.orderNumber,
  },
  notes: {
    type: textOrNull,
    about: 'Text at the end of the document. Null if not set.',
    example: null,
    of: ({ context }) => context.notes,
  },
  issuedAt: {
    type: timeOrNull,
    about: 'Time at which the invoice was finalized. Within a series of numbers it never decreases. Null for a draft.',
    example: example.at,
    of: ({ context }) => context.issuedAt?.toISOString() ?? null,
  },
  issueDate: {
    type: textOrNull,
    about: 'Day of `issuedAt` in your time zone, as `YYYY-MM-DD`. Null for a draft.',
    example: '2026-11-20',
    of: ({ context }) => context.issueDate,
  },
  dueDate: {
    type: textOrNull,
    about: 'Day until which the invoice is to be paid, in your time zone. Null for a draft without a fixed day.',
    example: '2026-12-04',
    of: ({ context }) => context.dueDate,
  },
  dueAt: {
    type: timeOrNull,
    about: 'Last millisecond of the due date in your time zone. Null for a draft.',
    example: '2026-12-04T23:59:59.999Z',
    of: ({ context }) => context.dueAt?.toISOString() ?? null,
  },
  paidAt: {
    type: timeOrNull,
    about: 'Time at which nothing was due any more. Null unless the status is `paid`.',
    example: null,
    of: ({ context }) => context.paidAt?.toISOString() ?? null,
  },
  voidedAt: {
    type: timeOrNull,
    about: 'Time at which the invoice was voided. Null unless the status is `void`.',
    example: null,
    of: ({ context }) => context.voidedAt?.toISOString() ?? null,
  },
  url: {
    type: textOrNull,
    about:
      'Page of the invoice for your customer: send them this link. Null for a draft. Shown only to keys with `billing:write`, owners and developers; always null in events.',
    example: null,
    of: (): string | null => null,
  },
  paymentLinkId: {
    type: () => idOf('plink').or('null'),
    about: 'Hidden payment link of its payments. Null for a draft, and if nothing was due.',
    example: exampleId('payment_link'),
    of: ({ context }) => (context.paymentLinkId === null ? null : encodeId('plink', context.paymentLinkId)),
  },
  assets: {
    type: () => type({ chainId: chainId(), asset: 'string' }).array().or('null'),
    about: 'Assets that the customer can pay with. Null allows every asset that the server offers.',
    example: null,
    of: ({ context }) => context.assets?.map(({ chainId, asset }) => ({ chainId, asset })) ?? null,
  },
  subscription: {
    inside: period.inside,
    type: () => period.type().or('null'),
    about: 'Subscription that the invoice belongs to, and its period. Null if none.',
    example: null,
    of: ({ context }) => {
      const { subscriptionId, periodIndex, periodStart, periodEnd } = context
      return subscriptionId === null || periodIndex === null
        ? null
        : period.render({ subscriptionId, periodIndex, periodStart, periodEnd })
    },
  },
  creditNoteIds: {
    type: () => idOf('cn').array(),
    about: 'Credit notes about the invoice, oldest first.',
    example: [],
    of: ({ context }) => context.creditNoteIds.map(id => encodeId('cn', id)),
  },
  documentHash: {
    type: textOrNull,
    about:
      'SHA-256 of the hash of the document before it and of what the invoice says, in hexadecimal digits. Null for a draft.',
    example: null,
    of: ({ context }) => context.documentHash,
  },
  previousDocumentHash: {
    type: textOrNull,
    about: '`documentHash` of the document before it in its series of numbers. Null for the first, and for a draft.',
    example: null,
    of: ({ context }) => context.previousDocumentHash,
  },
  retainedUntil: {
    type: timeOrNull,
    about:
      'Until when the name and address of the customer are kept after the customer was erased. A later credit note extends it. Null for a draft.',
    example: null,
    of: ({ context }) => context.retainedUntil?.toISOString() ?? null,
  },
  metadata: { type: texts, example: {}, of: ({ context }) => context.metadata },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
})

/** `invoice.reminder` says which reminder it is. */
export const renderInvoiceEvent = (invoice: Actor<Invoice>, eventType: string): object =>
  eventType === 'invoice.reminder'
    ? { ...invoiceRecord.render(invoice), reminder: { offsetDays: invoice.context.remindedOffset } }
    : invoiceRecord.render(invoice)

/** What the events contain. */
export const invoiceEventShape: Shape = shape({
  name: 'Invoice',
  type: () => invoiceRecord.type().and(type({ 'reminder?': { offsetDays: 'number.integer | null' } })),
  example: invoiceRecord.example,
  inside: {
    ...invoiceRecord.inside,
    reminder: 'Only in `invoice.reminder`.',
    'reminder.offsetDays':
      'When the reminder was due, in days from the due date. Null for a reminder that was requested.',
  },
})
