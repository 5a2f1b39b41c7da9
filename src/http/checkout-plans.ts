import { type } from 'arktype'
import { type PlanSubscription, subscribeToPlan } from '../commands/plan-subscriptions.ts'
import { refuse } from '../errors.ts'
import { decodeId, encodeId } from '../ids.ts'
import { findVisitedPlan, type VisitedPlan } from '../queries/plan-pages.ts'
import { limitGroup } from './address.ts'
import type { Api } from './api.ts'
import { causeOfCustomer } from './causes.ts'
import { customerEmail, customerName } from './checkout.ts'
import { subscribeToPlanDocs } from './docs/checkout-plans.ts'
import { forCustomers, type Route } from './route.ts'
import { invoicePages, pageUrl, subscriptionPages } from './secret-pages.ts'

const newPlanSubscription = () => type({ customerEmail: customerEmail(), 'customerName?': customerName() })

export const checkoutPlanRoutes: readonly Route[] = [
  forCustomers('POST', {
    path: '/v1/checkout/plans/:planId/subscriptions',
    docs: subscribeToPlanDocs,
    body: newPlanSubscription,
    handle: async (api, { params, body, address, requestId }) => {
      const visited = (await findPlanOfPage(api, params.planId)) ?? refuse('resource_not_found')
      const payer = { email: body.customerEmail, name: body.customerName ?? null, locale: null }
      const made = await subscribeToPlan(
        api,
        visited,
        { payer, group: limitGroup(address) },
        causeOfCustomer({ requestId }),
      )
      const { subscription } = made
      const { url, invoiceUrl } = urlsOf(api, made)
      return {
        status: 201,
        body: {
          subscription: { id: encodeId('sub', subscription.id), status: subscription.state, url },
          invoiceUrl,
        },
      }
    },
  }),
]

export const findPlanOfPage = async ({ sql }: Api, planId: string): Promise<VisitedPlan | undefined> => {
  const id = decodeId('plan', planId)
  return id === undefined ? undefined : findVisitedPlan(sql, id)
}

export const urlsOf = (api: Api, { subscription, invoice }: PlanSubscription) => ({
  url: pageUrl(api, subscriptionPages, subscription) ?? '',
  invoiceUrl: invoice ? pageUrl(api, invoicePages, invoice) : null,
})
