import type { Plan } from '../../machines/plan.ts'
import type { Actor } from '../../src/actors/kind.ts'
import { createPlan, type PlanFields } from '../../src/commands/plans.ts'
import type { Api } from '../../src/http/api.ts'
import type { ListOwner } from '../../src/queries/list-rows.ts'
import { aLamp } from './invoices.ts'

/** A plan over 49.00 a month. */
export const makePlan = (
  api: Api,
  { merchantId, livemode }: ListOwner,
  fields: Partial<PlanFields> = {},
): Promise<Actor<Plan>> =>
  createPlan(
    api,
    { merchantId, livemode },
    {
      ...{ name: 'Lamp club', description: null, currency: 'EUR', lines: [aLamp], taxBehavior: undefined },
      ...{ interval: 'month', intervalCount: 1, trialDays: 0, leadDays: undefined, graceDays: undefined },
      ...{ maxPeriods: null, activation: 'on_payment', afterGrace: 'cancel', assets: null, reference: null },
      metadata: {},
      ...fields,
    },
    { cause: 'test', responseRows: () => [] },
  )
