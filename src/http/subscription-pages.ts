import type { Subscription } from '../../machines/subscription-events.ts'
import { isCrossSite } from '../access/refresh-cookie.ts'
import type { Actor } from '../actors/kind.ts'
import { addUtcDays } from '../billing/periods.ts'
import type { Requester } from '../commands/by.ts'
import type { InvoiceServices } from '../commands/finalizations.ts'
import { cancelSubscription, uncancelSubscription } from '../commands/subscription-actions.ts'
import { Refusal } from '../errors.ts'
import { accessTo, currentPeriod } from '../kinds/subscription-record.ts'
import { DAYS_TO_PAY_FIRST, upcomingInvoice } from '../kinds/subscription-times.ts'
import { ANSWER, type ListedInvoice, type ShownSubscription, subscriptionPage } from '../pages/checkout/subscription.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import type { VisitedSubscription } from '../queries/subscription-pages.ts'
import type { Api } from './api.ts'
import { causeOfCustomer } from './causes.ts'
import { findSubscriptionByToken } from './checkout-subscriptions.ts'
import type { Docs } from './docs/docs.ts'
import {
  cancelOnSubscriptionPageDocs,
  continueOnSubscriptionPageDocs,
  visitSubscriptionPageDocs,
} from './docs/subscription-pages.ts'
import { localeOf } from './locale.ts'
import { shopFaceOf, withoutOrigin } from './pay-facts.ts'
import { foreignPage, redirectTo, sendPage, unknownFacts } from './pay-visit.ts'
import { languageQuery } from './payment-pages.ts'
import { type Answer, forCustomers, type Route } from './route.ts'
import { invoicePages, pageUrl } from './secret-pages.ts'
import { seenOfSubscription } from './subscription-streams.ts'

const path = '/subscriptions/:token'

type SubscriptionCall = {
  readonly params: { readonly token: string }
  readonly headers: Headers
  readonly query: { readonly lang?: string }
  readonly requestId: string
}

type Work = (
  services: InvoiceServices,
  key: RecordKey,
  requester: Requester<Subscription>,
) => Promise<Actor<Subscription>>

/** A form on the page. The token in the address is the authentication. */
const subscriptionForm = (name: 'cancel' | 'continue', docs: Docs, work: Work): Route =>
  forCustomers('POST', {
    path: `${path}/${name}` as typeof path,
    page: true,
    form: true,
    docs,
    query: languageQuery,
    handle: async (api, call) => {
      const itsPath = `/subscriptions/${call.params.token}`
      if (isCrossSite(api.settings.publicUrl, call.headers)) return foreignPage(api, itsPath, call)
      const visited = await findSubscriptionByToken(api, call.params.token)
      if (!visited) return subscriptionPageOf(api, call, undefined)
      const { id, context } = visited.subscription
      const key = { id, merchantId: context.merchantId, livemode: context.livemode }
      try {
        await work(api, key, { cause: causeOfCustomer(call), responseRows: () => [] })
        return redirectTo(`${itsPath}${queryOf(call)}#${ANSWER}`)
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'state_conflict') throw error
        return subscriptionPageOf(api, call, await findSubscriptionByToken(api, call.params.token), true)
      }
    },
  })

export const subscriptionPageRoutes: readonly Route[] = [
  forCustomers('GET', {
    path,
    page: true,
    docs: visitSubscriptionPageDocs,
    query: languageQuery,
    handle: async (api, call) => subscriptionPageOf(api, call, await findSubscriptionByToken(api, call.params.token)),
  }),

  subscriptionForm('cancel', cancelOnSubscriptionPageDocs, (services, key, requester) =>
    cancelSubscription(services, key, 'period_end', requester, 'customer'),
  ),
  subscriptionForm('continue', continueOnSubscriptionPageDocs, (services, key, requester) =>
    uncancelSubscription(services, key, requester, 'customer'),
  ),
]

const queryOf = ({ query }: SubscriptionCall): string => (query.lang === undefined ? '' : `?lang=${query.lang}`)

const subscriptionPageOf = (
  api: Api,
  call: SubscriptionCall,
  visited: VisitedSubscription | undefined,
  isRefused = false,
): Answer => {
  const unknown = unknownFacts(api, localeOf(call.query.lang, call.headers))
  const request = { path: `/subscriptions/${call.params.token}`, query: queryOf(call), isRefused }
  if (!visited) return sendPage(call, subscriptionPage(api.web, { checkout: unknown }, request))
  const checkout = { ...unknown, shop: shopFaceOf(api, visited.terms) }
  return sendPage(call, subscriptionPage(api.web, { checkout, shown: shownIn(api, visited, request.path) }, request))
}

const CANCELABLE: readonly string[] = ['trialing', 'active', 'past_due', 'paused']

const shownIn = (api: Api, visited: VisitedSubscription, path: string): ShownSubscription => {
  const { subscription, planName, invoices } = visited
  const { context, state, createdAt } = subscription
  return {
    ...{ subscription, planName },
    period: currentPeriod(context) ?? null,
    accessUntil: accessTo(subscription).until,
    nextInvoiceAt: upcomingInvoice(subscription)?.finalizesAt ?? null,
    nextAmountMinor: context.pendingChange?.totalMinor ?? context.totalMinor,
    ...{ streamPath: `/v1/checkout${path}/stream`, eventId: seenOfSubscription(api, visited).key },
    expiresAt: addUtcDays(createdAt, DAYS_TO_PAY_FIRST),
    invoices: invoices.map((invoice): ListedInvoice => {
      const url = withoutOrigin(pageUrl(api, invoicePages, invoice))
      const documentPath = url && invoice.state !== 'draft' ? `/v1/checkout${url}/document` : null
      return { invoice, path: url, documentPath }
    }),
    mayCancel: CANCELABLE.includes(state) && !context.cancelAtPeriodEnd,
    mayContinue: context.cancelAtPeriodEnd && context.canceledByCustomer,
  }
}
