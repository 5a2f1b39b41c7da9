import { type } from 'arktype'
import { isCrossSite } from '../access/refresh-cookie.ts'
import { isSellerComplete } from '../commands/finalizations.ts'
import { subscribeToPlan } from '../commands/plan-subscriptions.ts'
import { Refusal } from '../errors.ts'
import { type PlanPageRequest, planPage } from '../pages/checkout/plan.ts'
import { findBillingSettings } from '../queries/billing-settings.ts'
import type { VisitedPlan } from '../queries/plan-pages.ts'
import { checkoutTextsOf } from '../web/text/checkout/texts.ts'
import { limitGroup } from './address.ts'
import type { Api } from './api.ts'
import { causeOfCustomer } from './causes.ts'
import { customerEmail, customerName } from './checkout.ts'
import { findPlanOfPage, urlsOf } from './checkout-plans.ts'
import { subscribeOnPageDocs, visitPlanPageDocs } from './docs/plan-pages.ts'
import { localeOf } from './locale.ts'
import { shopFaceOf, withoutOrigin } from './pay-facts.ts'
import { foreignPage, redirectTo, sendPage, unknownFacts } from './pay-visit.ts'
import { languageQuery } from './payment-pages.ts'
import { type Answer, forCustomers, type Route } from './route.ts'

const path = '/plans/:planId'

/** Checked by the handler, which shows what is wrong beside the field. */
const subscribeForm = () => type({ 'email?': 'string', 'name?': 'string' })

type PlanCall = {
  readonly params: { readonly planId: string }
  readonly headers: Headers
  readonly query: { readonly lang?: string }
}

/** The page of a plan is public. A visitor subscribes by the form only. */
export const planPageRoutes: readonly Route[] = [
  forCustomers('GET', {
    path,
    page: true,
    docs: visitPlanPageDocs,
    query: languageQuery,
    handle: async (api, call) => planPageOf(api, call, await findPlanOfPage(api, call.params.planId)),
  }),

  forCustomers('POST', {
    path,
    page: true,
    form: true,
    docs: subscribeOnPageDocs,
    query: languageQuery,
    body: subscribeForm,
    handle: async (api, call) => {
      if (isCrossSite(api.settings.publicUrl, call.headers))
        return foreignPage(api, `/plans/${call.params.planId}`, call)
      const visited = await findPlanOfPage(api, call.params.planId)
      if (!visited) return planPageOf(api, call, undefined)
      const locale = localeOf(call.query.lang, call.headers)
      const texts = checkoutTextsOf(locale)
      const email = customerEmail()(call.body.email ?? '')
      const name = customerName()(call.body.name ?? '')
      const entered = { email: call.body.email, name: call.body.name }
      if (email instanceof type.errors || name instanceof type.errors)
        return planPageOf(api, call, visited, {
          ...{ ...entered, status: 400 },
          errors: {
            ...(email instanceof type.errors && { email: texts.errors.email }),
            ...(name instanceof type.errors && { name: texts.errors.name }),
          },
        })
      try {
        const payer = { email, name, locale }
        const from = { payer, group: limitGroup(call.address) }
        const made = await subscribeToPlan(api, visited, from, causeOfCustomer(call))
        // The page of the subscription leads to that of its invoice.
        return redirectTo(`${withoutOrigin(urlsOf(api, made).url)}${queryOf(call)}`)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (error.code === 'customer_erased')
          return planPageOf(api, call, visited, { ...entered, status: 409, errors: { email: texts.errors.email } })
        if (error.code === 'rate_limited')
          return planPageOf(api, call, visited, { ...entered, status: 429, errors: { page: texts.plan.tooMany } })
        // It was archived, or is not ready: the page says which.
        return planPageOf(api, call, await findPlanOfPage(api, call.params.planId), { status: 409, errors: {} })
      }
    },
  }),
]

const queryOf = ({ query }: PlanCall): string => (query.lang === undefined ? '' : `?lang=${query.lang}`)

const planPageOf = async (
  api: Api,
  call: PlanCall,
  visited: VisitedPlan | undefined,
  refused?: PlanPageRequest['refused'],
): Promise<Answer> => {
  const locale = localeOf(call.query.lang, call.headers)
  const unknown = unknownFacts(api, locale)
  const request = { path: `/plans/${call.params.planId}`, query: queryOf(call), refused }
  if (!visited) return sendPage(call, planPage(api.web, { checkout: unknown, isReady: false }, request))
  const { plan, terms } = visited
  const { merchantId, livemode } = plan.context
  const settings = await findBillingSettings(api.sql, merchantId)
  const checkout = { ...unknown, shop: shopFaceOf(api, terms) }
  const isReady = settings !== undefined && isSellerComplete(settings, livemode)
  const answer = planPage(api.web, { checkout, plan, isReady }, request)
  const headers = refused?.status === 429 ? { ...answer.headers, 'retry-after': '3600' } : answer.headers
  return sendPage(call, { ...answer, headers })
}
