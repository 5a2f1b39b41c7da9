import { type } from 'arktype'
import type { Subscription } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import {
  createSubscription,
  rotateSubscriptionUrl,
  type SubscriptionRequest,
  type SubscriptionTerms,
} from '../commands/subscriptions.ts'
import { refuse } from '../errors.ts'
import { idOf } from '../fields/wire.ts'
import { decodeId } from '../ids.ts'
import { subscriptionStatus } from '../kinds/subscription-record.ts'
import { findSubscription, listSubscriptions, type SubscriptionFilter } from '../queries/subscriptions.ts'
import { subscriptionReadRecord } from '../records/subscription.ts'
import type { Api } from './api.ts'
import { customerByEmail, findClockId, testClockId } from './customers.ts'
import {
  createSubscriptionDocs,
  getSubscriptionDocs,
  listSubscriptionsDocs,
  rotateSubscriptionUrlDocs,
} from './docs/subscriptions.ts'
import { answerIdempotently, type IdempotentCall, type IdempotentRequest } from './idempotency.ts'
import { customerIn } from './invoice-body.ts'
import { listOf, listQuery, placedPage } from './list.ts'
import { metadata } from './metadata.ts'
import { moment } from './moment.ts'
import { pageUrlFor, type UrlReader, withPageUrl } from './page-urls.ts'
import { requirePayable } from './payment-links.ts'
import { newTerms } from './plans.ts'
import { recordId, recordKey } from './record-id.ts'
import type { Parsed, Route } from './route.ts'
import { subscriptionPages } from './secret-pages.ts'
import { onCollection, onItem } from './surfaces.ts'
import { shownText } from './text.ts'

const newSubscription = () =>
  newTerms()
    .partial()
    .merge({
      'customerId?': idOf('cus'),
      'customer?': customerByEmail(),
      'planId?': idOf('plan'),
      'anchorAt?': moment(),
      'trialEndsAt?': moment(),
      'reference?': shownText(1, 200).or('null'),
      'metadata?': metadata(),
      'testClockId?': testClockId(),
    })

/** Exports have the filters of the list too. */
export const subscriptionFilters = () =>
  type({
    'status?': subscriptionStatus().array().atMostLength(10),
    'customerId?': recordId('cus'),
    'planId?': recordId('plan'),
  })

const reads = { scope: 'billing:read' } as const
const writes = { scope: 'billing:write' } as const

export const subscriptionRoutes: readonly Route[] = [
  ...onCollection('POST', writes, {
    path: '/subscriptions',
    docs: createSubscriptionDocs,
    body: newSubscription,
    handle: (api, call) => {
      const { owner, body, cause } = call
      return answerIdempotently<Subscription>(api, call, {
        work: async responseRows => {
          const { customer: named, ...request } = requestIn(body)
          const customer = {
            ...named,
            ...(body.testClockId !== undefined && { testClockId: await findClockId(api, owner, body.testClockId) }),
          }
          if (!('planId' in request.terms)) requirePayable(api, { ...request.terms, livemode: owner.livemode })
          return createSubscription(api, { owner, customer, ...request }, { cause, responseRows })
        },
        ...withSubscriptionUrl(api, call, 201),
      })
    },
  }),

  ...onCollection('GET', reads, {
    path: '/subscriptions',
    docs: listSubscriptionsDocs,
    query: () => listQuery().merge(subscriptionFilters()),
    handle: async (api, call) => {
      const { owner, query } = call
      const page = await placedPage(api.sql, 'subscription', owner, query)
      const found = await listSubscriptions(api.sql, owner, subscriptionFilterOf(query), page)
      return { status: 200, body: listOf(found, query.limit, readSubscriptionFor(api, call)) }
    },
  }),

  ...onItem('GET', reads, {
    path: '/subscriptions/:id',
    docs: getSubscriptionDocs,
    handle: async (api, call) => {
      const found = (await findSubscription(api.sql, recordKey('sub', call))) ?? refuse('resource_not_found')
      return { status: 200, body: readSubscriptionFor(api, call)(found) }
    },
  }),

  ...onItem('POST', writes, {
    path: '/subscriptions/:id/rotate-url',
    docs: rotateSubscriptionUrlDocs,
    handle: (api, call) =>
      answerIdempotently<Subscription>(api, call, {
        work: responseRows => rotateSubscriptionUrl(api, recordKey('sub', call), { cause: call.cause, responseRows }),
        ...withSubscriptionUrl(api, call, 200),
      }),
  }),
]

export const subscriptionFilterOf = ({
  status,
  customerId,
  planId,
}: Parsed<typeof subscriptionFilters>): SubscriptionFilter => ({
  statuses: status && [...new Set(status)],
  customerId,
  planId,
})

/** A subscription as the caller can see it. */
export const readSubscriptionFor = (api: Api, reader: UrlReader) => {
  const urlOf = pageUrlFor(api, subscriptionPages, reader)
  return (subscription: Actor<Subscription>) =>
    subscriptionReadRecord.render(subscription, { url: urlOf(subscription) })
}

/** Responses are stored without the address of the page, which they get when they are sent. */
export const withSubscriptionUrl = (
  api: Api,
  { owner }: Pick<IdempotentCall, 'owner'>,
  status: 200 | 201,
): Pick<IdempotentRequest<Subscription>, 'answer' | 'reveal'> => ({
  answer: subscription => ({ status, body: subscriptionReadRecord.render(subscription, { url: null }) }),
  reveal: stored => withPageUrl(api, subscriptionPages, owner, stored),
})

const requestIn = (body: Parsed<typeof newSubscription>): Omit<SubscriptionRequest, 'owner'> => ({
  customer: customerIn(body) ?? refuse('parameter_missing', { param: 'customerId' }),
  terms: termsIn(body),
  anchorAt: body.anchorAt === undefined ? undefined : new Date(body.anchorAt),
  trialDays: body.trialDays,
  trialEndsAt: body.trialEndsAt === undefined ? undefined : new Date(body.trialEndsAt),
  reference: body.reference ?? null,
  metadata: body.metadata ?? {},
})

/** The fields that a plan has. */
const planned = [
  ...['currency', 'lines', 'taxBehavior', 'interval', 'intervalCount', 'leadDays', 'graceDays', 'maxPeriods'],
  ...['activation', 'afterGrace', 'assets'],
] as const

const termsIn = (body: Parsed<typeof newSubscription>): SubscriptionRequest['terms'] => {
  if (body.planId !== undefined) {
    const param = planned.find(field => Object.hasOwn(body, field))
    if (param !== undefined) refuse('parameter_invalid', { param, message: `${param} and planId exclude each other.` })
    return { planId: decodeId('plan', body.planId) ?? refuse('resource_not_found', { param: 'planId' }) }
  }
  const { currency, lines, interval } = body
  return {
    currency: currency ?? missing('currency'),
    lines: lines ?? missing('lines'),
    interval: interval ?? missing('interval'),
    intervalCount: body.intervalCount ?? 1,
    trialDays: body.trialDays ?? 0,
    taxBehavior: body.taxBehavior,
    leadDays: body.leadDays,
    graceDays: body.graceDays,
    maxPeriods: body.maxPeriods ?? null,
    activation: body.activation ?? 'on_payment',
    afterGrace: body.afterGrace ?? 'cancel',
    assets: body.assets ?? null,
  } satisfies SubscriptionTerms
}

const missing = (param: string): never =>
  refuse('parameter_missing', { param, message: `${param} is required without planId.` })
