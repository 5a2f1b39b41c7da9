import type { Plan } from '../../machines/plan.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { emailKey } from '../email-key.ts'
import type { Sql } from '../postgres/connect.ts'
import type { Terms } from './checkouts.ts'
import type { ListOwner } from './list-rows.ts'
import { readPlan } from './plans.ts'

/** A plan for visitors of its page, who know only its id. */
export type VisitedPlan = { readonly plan: Actor<Plan>; readonly terms: Terms }

export const findVisitedPlan = async (sql: Sql, id: string): Promise<VisitedPlan | undefined> => {
  const [row] = await sql<(ActorRow & { readonly terms: Terms })[]>`
    select r.*, to_jsonb(s) || jsonb_build_object('api_version', m.api_version) as terms
    from plans r
    join settings s on s.merchant_id = r.merchant_id and s.livemode = r.livemode
    join merchants m on m.id = r.merchant_id
    where r.id = ${id}`
  return row && { plan: readPlan(row), terms: row.terms }
}

/** The customer of an e-mail address: nothing else is read of it, so that answers take as long as without one. */
export const findSubscriber = async (
  sql: Sql,
  { merchantId, livemode }: ListOwner,
  email: string,
): Promise<{ readonly id: string; readonly testClockId: string | null } | undefined> => {
  const [row] = await sql<{ id: string; test_clock_id: string | null }[]>`
    select c.id, c.test_clock_id from customer_emails e join customers c on c.id = e.customer_id
    where e.merchant_id = ${merchantId} and e.livemode = ${livemode} and e.email_key = ${emailKey(email)}`
  return row && { id: row.id, testClockId: row.test_clock_id }
}

/** Whether so many subscriptions were begun on the pages of a merchant's plans and are not paid. */
export const hasIncomplete = async (sql: Sql, { merchantId, livemode }: ListOwner, most: number): Promise<boolean> => {
  const [row] = await sql<{ is_full: boolean }[]>`
    select count(*) = ${most} as is_full
    from (
      select from subscriptions
      where merchant_id = ${merchantId} and livemode = ${livemode} and state = 'incomplete' and source = 'checkout'
      limit ${most}) found`
  return row?.is_full ?? false
}
