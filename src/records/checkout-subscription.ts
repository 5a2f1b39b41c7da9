import type { Invoice } from '../../machines/invoice-events.ts'
import type { Subscription } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import { recordOf } from '../fields/record.ts'
import { text, textOrNull } from '../fields/wire.ts'
import { invoiceReadRecord } from './invoice.ts'
import { subscriptionReadRecord } from './subscription.ts'

const {
  merchantId: _merchant,
  customerId: _customer,
  source: _source,
  verified: _verified,
  activation: _activation,
  openInvoiceId: _open,
  latestInvoiceId: _latest,
  url: _url,
  reference: _reference,
  testClockId: _clock,
  metadata: _metadata,
  ...customersFields
} = subscriptionReadRecord.fields

type Names = { readonly merchantName: string; readonly planName: string | null }

/** A subscription for its customer: nothing about the customer, and nothing of what the merchant keeps for itself. */
export const checkoutSubscriptionRecord = recordOf<Actor<Subscription>, Names & { readonly url: null }>()(
  'CheckoutSubscription',
  {
    ...customersFields,
    merchantName: {
      type: text,
      about: 'Name of the merchant.',
      example: 'Lamps',
      of: (_, { merchantName }) => merchantName,
    },
    planName: {
      type: textOrNull,
      about: 'Name of the plan. Null without a plan.',
      example: 'Lamp club',
      of: (_, { planName }) => planName,
    },
  },
)

const { fields } = invoiceReadRecord

/** An invoice in the list of a subscription. Its page shows the rest. */
export const subscriptionInvoiceRecord = recordOf<Actor<Invoice>, { readonly url: string | null }>()(
  'SubscriptionInvoice',
  {
    id: fields.id,
    number: fields.number,
    status: fields.status,
    overdue: fields.overdue,
    currency: fields.currency,
    totalMinor: fields.totalMinor,
    amountProcessingMinor: fields.amountProcessingMinor,
    amountDueMinor: fields.amountDueMinor,
    issueDate: fields.issueDate,
    dueDate: fields.dueDate,
    subscription: fields.subscription,
    url: fields.url,
  },
)
