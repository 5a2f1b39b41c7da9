import type { Plan, PlanTexts } from '../../machines/plan.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { defaultDays, shortestDays } from '../billing/periods.ts'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import { planKind } from '../kinds/plan.ts'
import { ofKind } from '../queries/actors.ts'
import { findBillingSettings } from '../queries/billing-settings.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import { findPlan, findPlanIdByReference } from '../queries/plans.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { type Requester, refuseTwin } from './by.ts'
import { type NewLine, summedLines } from './invoice-content.ts'
import { refuseState } from './state-conflicts.ts'

type Terms = Pick<Plan, 'interval' | 'intervalCount' | 'leadDays' | 'graceDays'>

/** A plan as a caller sends it. Without `taxBehavior` it has that of the billing settings. */
export type PlanFields = Omit<Plan, keyof ListOwner | keyof Derived | keyof Terms | 'taxBehavior'> &
  Pick<Terms, 'interval' | 'intervalCount'> & {
    readonly taxBehavior: Plan['taxBehavior'] | undefined
    readonly leadDays: number | undefined
    readonly graceDays: number | undefined
    readonly lines: readonly NewLine[]
  }

type Derived = Pick<Plan, 'lines' | 'taxes' | 'subtotalMinor' | 'taxMinor' | 'totalMinor'>

export const createPlan = async (
  services: Services,
  { merchantId, livemode }: ListOwner,
  { leadDays, graceDays, ...fields }: PlanFields,
  { cause, responseRows }: Requester<Plan>,
): Promise<Actor<Plan>> => {
  const { sql, actors, clock, random } = services
  const settings = (await findBillingSettings(sql, merchantId)) ?? refuse('resource_not_found')
  const taxBehavior = fields.taxBehavior ?? settings.tax_behavior
  const create: Plan = {
    ...{ merchantId, livemode, ...fields, taxBehavior },
    ...daysOf({ ...fields, leadDays, graceDays }),
    ...summedLines(fields.lines, taxBehavior, settings.tax_rate_bps),
  }
  const outcome = await actors.dispatch({
    ...{ kind: 'plan', actor: uuidv7(clock.now(), random), create, cause },
    rows: ([plan]) => responseRows(ofKind(planKind, plan)),
  })
  if (outcome.ok) return ofKind(planKind, outcome.actor)
  refuseTwin(outcome)
  if (outcome.refusal !== 'duplicate_reference' || fields.reference === null) return refuseState(outcome)
  const first = await findPlanIdByReference(sql, { merchantId, livemode }, fields.reference)
  const details = first !== undefined && { details: { planId: encodeId('plan', first) } }
  return refuse('duplicate_reference', { param: 'reference', ...details })
}

/**
 * The lead and the grace end within one period, however short its months are: otherwise the invoices of two periods would be
 * open, or a grace would end after the next one had begun.
 */
export const daysOf = ({
  leadDays,
  graceDays,
  ...cadence
}: Pick<Terms, 'interval' | 'intervalCount'> & {
  readonly leadDays: number | undefined
  readonly graceDays: number | undefined
}): Pick<Terms, 'leadDays' | 'graceDays'> => {
  const most = shortestDays(cadence) - 1
  const defaults = defaultDays[cadence.interval]
  const days = { leadDays: leadDays ?? defaults.leadDays, graceDays: graceDays ?? defaults.graceDays }
  for (const [param, value] of Object.entries(days))
    if (value > most)
      refuse('parameter_invalid', { param, message: `${param} must be less than the interval: at most ${most} here.` })
  return days
}

/** Changes texts and metadata. The terms of a plan never change. */
export const changePlan = async (
  { sql, actors }: Services,
  key: RecordKey,
  changes: Partial<PlanTexts>,
  cause: string,
): Promise<Actor<Plan>> => {
  const { id } = (await findPlan(sql, key)) ?? refuse('resource_not_found')
  const outcome = await actors.dispatch({ kind: 'plan', actor: id, event: { type: 'update', changes }, cause })
  return outcome.ok ? ofKind(planKind, outcome.actor) : refuseState(outcome)
}

/** Ends new subscriptions permanently. A plan that is archived already is returned unchanged. */
export const archivePlan = async (
  { sql, actors }: Services,
  key: RecordKey,
  { cause, responseRows }: Requester<Plan>,
): Promise<Actor<Plan>> => {
  const { id } = (await findPlan(sql, key)) ?? refuse('resource_not_found')
  const outcome = await actors.dispatch({
    ...{ kind: 'plan', actor: id, event: { type: 'archive' }, cause },
    rows: ([plan]) => responseRows(ofKind(planKind, plan)),
  })
  if (outcome.ok) return ofKind(planKind, outcome.actor)
  refuseTwin(outcome)
  return outcome.actor?.state === 'archived' ? ofKind(planKind, outcome.actor) : refuseState(outcome)
}
