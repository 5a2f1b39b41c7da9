import { type } from 'arktype'
import { shape } from '../../fields/shape.ts'
import { checkoutSubscriptionRecord, subscriptionInvoiceRecord } from '../checkout-subscription.ts'

/** A subscription for its customer, with its invoices. */
export const visitedSubscriptionShape = shape({
  name: 'VisitedSubscription',
  type: () =>
    type({ subscription: checkoutSubscriptionRecord.type(), invoices: subscriptionInvoiceRecord.type().array() }),
  example: { subscription: checkoutSubscriptionRecord.example, invoices: [subscriptionInvoiceRecord.example] },
  parts: [checkoutSubscriptionRecord, subscriptionInvoiceRecord],
  inside: {
    subscription: 'The subscription, with the fields that customers may see.',
    invoices: 'Its latest invoices, newest first, at most 24.',
    'invoices.url': 'Page of the invoice, where it is paid.',
  },
})
