import type { Plan } from '../../machines/plan.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { planKind } from '../kinds/plan.ts'
import type { Sql } from '../postgres/connect.ts'
import { readerOf } from './actors.ts'
import { beginsWith } from './list-filters.ts'
import { type FewOrMany, type ListOwner, type ListPart, listRows, ownedBy, partsByState } from './list-rows.ts'
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

export type PlanFilter = {
  readonly statuses: readonly string[] | undefined
  readonly reference: string | undefined
  /** The beginning of a name, or a reference. */
  readonly search: string | undefined
}

export const listPlans = async (
  sql: Sql,
  owner: ListOwner,
  { statuses, reference, search }: PlanFilter,
  page: Page,
): Promise<Actor<Plan>[]> => {
  const byReference = reference === undefined ? undefined : sql`${ownedBy(sql, owner)} and reference = ${reference}`
  const byState = statuses && partsByState(sql, statuses)
  const bySearch = search === undefined ? undefined : { ...foundBy(sql, owner, search), walked: byState }
  const filters = sql`
    ${byReference ? sql`and ${byReference}` : sql``}
    ${byReference && bySearch ? sql`and ${bySearch.many}` : sql``}
    ${statuses ? sql`and state = any(${[...statuses]}::text[])` : sql``}`
  const found: ListPart | undefined = byReference ? { few: byReference } : bySearch
  const parts = found ? [found] : byState
  const rows = await listRows<ActorRow>(sql, { table: 'plans', owner, page, filters, ...(parts && { parts }) })
  return rows.map(readPlan)
}

const foundBy = (sql: Sql, owner: ListOwner, text: string): Omit<FewOrMany, 'walked'> => {
  const named = beginsWith(sql, sql`lower(name) collate "C"`, text)
  return {
    candidates: sql`
      select id from plans where ${ownedBy(sql, owner)} and ${named}
      union all select id from plans where ${ownedBy(sql, owner)} and reference = ${text}`,
    few: sql`id in (select id from candidates)`,
    many: sql`(${named} or coalesce(reference = ${text}, false))`,
  }
}
