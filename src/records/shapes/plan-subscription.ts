import { type } from 'arktype'
import { exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { idOf } from '../../fields/wire.ts'
import { subscriptionStatus } from '../../kinds/subscription-record.ts'

/** What a visitor of the page of a plan gets. */
export const planSubscriptionShape = shape({
  name: 'PlanSubscription',
  type: () =>
    type({
      subscription: type({ id: idOf('sub'), status: subscriptionStatus(), url: 'string' }),
      invoiceUrl: 'string | null',
    }),
  example: {
    subscription: {
      id: exampleId('subscription'),
      status: 'incomplete',
      url: 'https://pay.example.com/subscriptions/1vQn8mYt3kZr0xWc5bHs2g',
    },
    invoiceUrl: 'https://pay.example.com/invoices/9dKj2pLx7uVa4eRt6yNq0w',
  },
  inside: {
    subscription: 'The subscription.',
    'subscription.url': 'Page of the subscription. Anyone with the address can cancel the subscription there.',
    invoiceUrl: 'Page of the first invoice, where it is paid. Null with a trial: the invoice comes before its end.',
  },
})
