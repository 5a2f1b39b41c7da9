import type { Subscription } from '../../machines/subscription-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { subscriptionKind } from '../kinds/subscription.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import {
  type FactsRow,
  type FinalizationFacts,
  factsColumns,
  factsIn,
  invoiceColumns as withSurvivor,
} from './invoices.ts'
import { type ListOwner, listRows, partsByState, type RowList } from './list-rows.ts'
import type { Page } from './page.ts'
import { listMergedIds } from './payments.ts'
import { finderOf, type RecordKey } from './record-finder.ts'

export const readSubscription = readerOf(subscriptionKind)

const findRow = finderOf<ActorRow>('subscriptions', withSurvivor)

export const findSubscription = async (sql: Sql, key: RecordKey): Promise<Actor<Subscription> | undefined> => {
  const row = await findRow(sql, key)
  return row && readSubscription(row)
}

const findFactsRow = finderOf<ActorRow & FactsRow>(
  'subscriptions',
  factsColumns(sql => sql`r.id`),
)

/** With what issuing an invoice reads. */
export const findSubscriptionWithFacts = async (
  sql: Sql,
  key: RecordKey,
): Promise<{ readonly subscription: Actor<Subscription>; readonly facts: FinalizationFacts } | undefined> => {
  const row = await findFactsRow(sql, key)
  return row && { subscription: readSubscription(row), facts: factsIn(row) }
}

export type SubscriptionFilter = {
  readonly statuses: readonly string[] | undefined
  /** With the subscriptions of customers that were merged into it. */
  readonly customerId: string | undefined
  readonly planId: string | undefined
}

export const listSubscriptions = async (
  sql: Sql,
  owner: ListOwner,
  filter: SubscriptionFilter,
  page: Page,
): Promise<Actor<Subscription>[]> => {
  const rows = await listRows<ActorRow>(sql, { ...(await subscriptionRowList(sql, owner, filter)), page })
  return rows.map(readSubscription)
}

export const subscriptionRowList = async (
  sql: Sql,
  owner: ListOwner,
  { statuses, customerId, planId }: SubscriptionFilter,
): Promise<RowList> => {
  const customerIds = customerId === undefined ? undefined : await listMergedIds(sql, customerId)
  const filters = sql`
    ${statuses ? sql`and state = any(${[...statuses]}::text[])` : sql``}
    ${customerIds ? sql`and customer_id = any(${[...customerIds]}::uuid[])` : sql``}
    ${planId === undefined ? sql`` : sql`and plan_id = ${planId}`}`
  const parts = customerIds
    ? customerIds.map(id => sql`customer_id = ${id}`)
    : planId === undefined
      ? statuses && partsByState(sql, statuses)
      : [sql`plan_id = ${planId}`]
  return { table: 'subscriptions', owner, columns: withSurvivor(sql), filters, ...(parts && { parts }) }
}

/** Those that have not ended. */
export const listSubscriptionsOfClock = async (sql: Sql, testClockId: string): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
    select id from subscriptions
    where test_clock_id = ${testClockId} and ended_at is null order by id`
  return rows.map(({ id }) => id)
}

/** How many subscriptions of each plan have not ended. */
export const countSubscriptions = async (
  sql: Sql,
  planIds: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const rows = await sql<{ plan_id: string; count: number }[]>`
    select plan_id, count(*)::integer as count from subscriptions
    where plan_id = any(${[...planIds]}::uuid[]) and ended_at is null
    group by plan_id`
  return new Map(rows.map(({ plan_id, count }) => [plan_id, count]))
}
