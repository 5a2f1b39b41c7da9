import { hashPageToken } from '../access/page-token.ts'
import { refuse } from '../errors.ts'
import { findVisitedSubscription, type VisitedSubscription } from '../queries/subscription-pages.ts'
import type { Api } from './api.ts'
import { SECRET_ADDRESS } from './checkout-invoices.ts'
import { openCustomersStream } from './customers-stream.ts'
import { streamSubscriptionDocs, visitSubscriptionDocs } from './docs/checkout-subscriptions.ts'
import { forCustomers, type Route } from './route.ts'
import { customersSubscription, seenOfSubscription, subscriptionStreamKey } from './subscription-streams.ts'

const path = '/v1/checkout/subscriptions/:token'

/** The token in the address is the only authentication. */
export const checkoutSubscriptionRoutes: readonly Route[] = [
  forCustomers('GET', {
    path,
    docs: visitSubscriptionDocs,
    handle: async (api, { params }) => {
      const visited = (await findSubscriptionByToken(api, params.token)) ?? refuse('resource_not_found')
      return { status: 200, body: customersSubscription(api, visited), headers: SECRET_ADDRESS }
    },
  }),

  forCustomers('GET', {
    path: `${path}/stream`,
    docs: streamSubscriptionDocs,
    handle: async (api, call) => {
      const visited = (await findSubscriptionByToken(api, call.params.token)) ?? refuse('resource_not_found')
      const streamed = { id: subscriptionStreamKey(visited), seen: seenOfSubscription(api, visited) }
      return openCustomersStream(api.subscriptionStreams, streamed, call)
    },
  }),
]

export const findSubscriptionByToken = async (
  { sql }: Api,
  token: string,
): Promise<VisitedSubscription | undefined> => {
  const hash = hashPageToken(token)
  return hash === undefined ? undefined : findVisitedSubscription(sql, hash)
}
