import type { Plan } from '../../machines/plan.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { planKind } from '../kinds/plan.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { type ListOwner, listRows, ownedBy, partsByState } from './list-rows.ts'
import type { Page } from './page.ts'
import { finderOf, type RecordKey } from './record-finder.ts'

export const readPlan = readerOf(planKind)
const findRow = finderOf<ActorRow>('plans')

export const findPlan = async (sql: Sql, key: RecordKey): Promise<Actor<Plan> | undefined> => {
  const row = await findRow(sql, key)
  return row && readPlan(row)
}

export const findPlanIdByReference = async (
  sql: Sql,
  owner: ListOwner,
  reference: string,
): Promise<string | undefined> => {
  const [row] = await sql<{ id: string }[]>`
    select id from plans where ${ownedBy(sql, owner)} and reference = ${reference}`
  return row?.id
}

export type PlanFilter = { readonly statuses: readonly string[] | undefined; readonly reference: string | undefined }

export const listPlans = async (
  sql: Sql,
  owner: ListOwner,
  { statuses, reference }: PlanFilter,
  page: Page,
): Promise<Actor<Plan>[]> => {
  const filters = sql`
    ${reference === undefined ? sql`` : sql`and reference = ${reference}`}
    ${statuses ? sql`and state = any(${[...statuses]}::text[])` : sql``}`
  const parts =
    reference === undefined
      ? statuses && partsByState(sql, statuses)
      : [{ few: sql`${ownedBy(sql, owner)} and reference = ${reference}` }]
  const rows = await listRows<ActorRow>(sql, { table: 'plans', owner, page, filters, ...(parts && { parts }) })
  return rows.map(readPlan)
}
