import { type } from 'arktype'
import type { Plan } from '../../machines/plan.ts'
import type { Actor } from '../actors/kind.ts'
import { archivePlan, changePlan, createPlan, type PlanFields } from '../commands/plans.ts'
import { refuse } from '../errors.ts'
import { findPlan, listPlans } from '../queries/plans.ts'
import { countSubscriptions } from '../queries/subscriptions.ts'
import { planRecord, planStatus } from '../records/plan.ts'
import type { Api } from './api.ts'
import { archivePlanDocs, createPlanDocs, getPlanDocs, listPlansDocs, updatePlanDocs } from './docs/plans.ts'
import { answerIdempotently } from './idempotency.ts'
import { currencyCode, soldLine } from './invoice-body.ts'
import { listOf, listQuery, placedPage } from './list.ts'
import { metadata } from './metadata.ts'
import { payableAsset, requirePayable } from './payment-links.ts'
import { recordKey } from './record-id.ts'
import type { Parsed, Route } from './route.ts'
import { onCollection, onItem } from './surfaces.ts'
import { boundedText, shownText } from './text.ts'

const changeable = () =>
  type({
    'name?': shownText(1, 200),
    'description?': shownText(1, 1_000).or('null'),
    'metadata?': metadata(),
  })

/** At most 12 years. How many there are in the interval is checked afterwards. */
export const mostDays = '0 <= number.integer <= 4379'

/** Of plans, and of subscriptions without one. */
export const newTerms = () =>
  type({
    currency: currencyCode(),
    lines: soldLine().array().atLeastLength(1).atMostLength(20),
    'taxBehavior?': "'exclusive' | 'inclusive'",
    interval: "'day' | 'week' | 'month' | 'year'",
    'intervalCount?': '1 <= number.integer <= 12',
    'trialDays?': '0 <= number.integer <= 730',
    'leadDays?': mostDays,
    'graceDays?': mostDays,
    'maxPeriods?': '1 <= number.integer <= 10000 | null',
    'activation?': "'on_payment' | 'immediate'",
    'afterGrace?': "'cancel' | 'pause'",
    'assets?': payableAsset().array().atLeastLength(1).atMostLength(20).or('null'),
  })

const newPlan = () =>
  changeable()
    .merge(newTerms())
    .merge({
      name: shownText(1, 200),
      'reference?': shownText(1, 200).or('null'),
    })

const filters = () =>
  type({
    'status?': planStatus().array().atMostLength(10),
    'reference?': boundedText(1, 200),
    'q?': boundedText(1, 200),
  })

const reads = { scope: 'billing:read' } as const
const writes = { scope: 'billing:write' } as const

export const planRoutes: readonly Route[] = [
  ...onCollection('POST', writes, {
    path: '/plans',
    docs: createPlanDocs,
    body: newPlan,
    handle: (api, call) => {
      const { owner, body, cause } = call
      return answerIdempotently<Plan>(api, call, {
        work: responseRows => {
          const fields = fieldsIn(body)
          requirePayable(api, { ...fields, livemode: owner.livemode })
          return createPlan(api, owner, fields, { cause, responseRows })
        },
        answer: plan => ({ status: 201, body: render(api, plan, 0) }),
      })
    },
  }),

  ...onCollection('GET', reads, {
    path: '/plans',
    docs: listPlansDocs,
    query: () => listQuery().merge(filters()),
    handle: async (api, { owner, query }) => {
      const page = await placedPage(api.sql, 'plan', owner, query)
      const { status, reference, q, limit } = query
      const filter = { statuses: status && [...new Set(status)], reference, search: q }
      const found = await listPlans(api.sql, owner, filter, page)
      const counts = await countSubscriptions(
        api.sql,
        found.map(({ id }) => id),
      )
      return { status: 200, body: listOf(found, limit, plan => render(api, plan, counts.get(plan.id))) }
    },
  }),

  ...onItem('GET', reads, {
    path: '/plans/:id',
    docs: getPlanDocs,
    handle: async (api, call) => {
      const found = (await findPlan(api.sql, recordKey('plan', call))) ?? refuse('resource_not_found')
      return { status: 200, body: await counted(api, found) }
    },
  }),

  ...onItem('PATCH', writes, {
    path: '/plans/:id',
    docs: updatePlanDocs,
    body: changeable,
    handle: async (api, call) => {
      const changed = await changePlan(api, recordKey('plan', call), call.body, call.cause)
      return { status: 200, body: await counted(api, changed) }
    },
  }),

  ...onItem('POST', writes, {
    path: '/plans/:id/archive',
    docs: archivePlanDocs,
    handle: async (api, call) => {
      const key = recordKey('plan', call)
      const counts = await countSubscriptions(api.sql, [key.id])
      return answerIdempotently<Plan>(api, call, {
        work: responseRows => archivePlan(api, key, { cause: call.cause, responseRows }),
        answer: plan => ({ status: 200, body: render(api, plan, counts.get(plan.id)) }),
      })
    },
  }),
]

const render = ({ settings: { publicUrl } }: Api, plan: Actor<Plan>, subscriptionsCount = 0) =>
  planRecord.render(plan, { publicUrl, subscriptionsCount })

const counted = async (api: Api, plan: Actor<Plan>) =>
  render(api, plan, (await countSubscriptions(api.sql, [plan.id])).get(plan.id))

const fieldsIn = (body: Parsed<typeof newPlan>): PlanFields => ({
  name: body.name,
  description: body.description ?? null,
  currency: body.currency,
  lines: body.lines,
  taxBehavior: body.taxBehavior,
  interval: body.interval,
  intervalCount: body.intervalCount ?? 1,
  trialDays: body.trialDays ?? 0,
  leadDays: body.leadDays,
  graceDays: body.graceDays,
  maxPeriods: body.maxPeriods ?? null,
  activation: body.activation ?? 'on_payment',
  afterGrace: body.afterGrace ?? 'cancel',
  assets: body.assets ?? null,
  reference: body.reference ?? null,
  metadata: body.metadata ?? {},
})
