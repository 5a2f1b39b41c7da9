import type { Services } from '../actors/services.ts'
import { listChangedSubscriptions, type VisitedSubscription } from '../queries/subscription-pages.ts'
import { checkoutSubscriptionRecord, subscriptionInvoiceRecord } from '../records/checkout-subscription.ts'
import { openStreams, type StreamedState, type Streams } from './checkout-streams.ts'
import { invoicePages, type PagesView, pageUrl } from './secret-pages.ts'

/** The event streams of subscriptions of a process. */
export const openSubscriptionStreams = (view: PagesView & Pick<Services, 'sql' | 'log'>): Streams =>
  openStreams({
    log: view.log,
    look: async revisions => {
      const changed = await listChangedSubscriptions(view.sql, revisions)
      return new Map(
        changed.map(({ key, ...each }) => [
          key,
          key === subscriptionStreamKey(each) ? seenOfSubscription(view, each) : 'over',
        ]),
      )
    },
  })

/** A stream belongs to the address with which it was opened, and ends when the subscription gets another one. */
export const subscriptionStreamKey = ({ subscription: { id, context } }: VisitedSubscription): string =>
  `${id} ${context.tokenHash}`

/** The subscription as its customer reads it. */
export const customersSubscription = (
  view: PagesView,
  { subscription, terms, planName, invoices }: VisitedSubscription,
) => ({
  subscription: checkoutSubscriptionRecord.render(subscription, { merchantName: terms.name, planName, url: null }),
  invoices: invoices.map(invoice =>
    subscriptionInvoiceRecord.render(invoice, { url: pageUrl(view, invoicePages, invoice) }),
  ),
})

export const seenOfSubscription = (view: PagesView, visited: VisitedSubscription): StreamedState => {
  const key = String(visited.watched)
  const say = () => ({
    id: key,
    event: 'subscription' as const,
    data: JSON.stringify(customersSubscription(view, visited)),
  })
  return { rev: visited.watched, key, say }
}
