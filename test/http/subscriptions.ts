import type { Subscription } from '../../machines/subscription-events.ts'
import type { Actor } from '../../src/actors/kind.ts'
import {
  createSubscription,
  type SubscriptionRequest,
  type SubscriptionTerms,
} from '../../src/commands/subscriptions.ts'
import type { Api } from '../../src/http/api.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { makeCustomer } from './customers.ts'
import { aLamp } from './invoices.ts'

/** A subscription over 49.00 a month, with a trial of 14 days by default. */
export const makeSubscription = async (
  api: Api,
  { merchantId, livemode }: ListOwner,
  { customerId, ...fields }: Partial<SubscriptionTerms> & { readonly customerId?: string } = {},
): Promise<Actor<Subscription>> => {
  const owner = { merchantId, livemode }
  const request: SubscriptionRequest = {
    ...{ owner, customer: { id: customerId ?? (await makeCustomer(api, owner)).customer.id } },
    terms: {
      ...{ currency: 'EUR', lines: [aLamp], taxBehavior: undefined, interval: 'month', intervalCount: 1 },
      ...{ trialDays: 14, leadDays: undefined, graceDays: undefined, maxPeriods: null },
      ...{ activation: 'on_payment', afterGrace: 'cancel', assets: null },
      ...fields,
    },
    ...{ anchorAt: undefined, trialDays: undefined, trialEndsAt: undefined, reference: null, metadata: {} },
  }
  return createSubscription(api, request, { cause: 'test', responseRows: () => [] })
}
