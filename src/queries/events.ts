import type { Sql } from '../postgres/connect.ts'
import { filtersOf, type ListOwner, listRows, ownedByWithKey } from './list-rows.ts'
import type { Page } from './page.ts'
import { finderOf } from './record-finder.ts'

/** The public fields of a row of `events`. */
export type EventRow = {
  readonly id: string
  readonly type: string
  readonly createdAt: Date
  readonly livemode: boolean
  readonly apiVersion: string
  /** Rendered in the commit of the transition. It never changes. */
  readonly object: unknown
}

const columns = (sql: Sql) => sql`id, type, created_at as "createdAt", livemode, api_version as "apiVersion", object`

export const findEvent = finderOf<EventRow>('events', columns)

export type EventFilter = {
  readonly type: string | undefined
  /** The object that the events are about. */
  readonly objectId: string | undefined
}

export const listEvents = (
  sql: Sql,
  owner: ListOwner,
  { type, objectId }: EventFilter,
  page: Page,
): Promise<EventRow[]> => {
  const list = { table: 'events', owner, page, columns: columns(sql) } as const
  if (objectId !== undefined) {
    const filters = filtersOf(sql, { type })
    return listRows<EventRow>(sql, { ...list, filters, parts: [{ few: sql`actor = ${objectId}` }] })
  }
  if (type === undefined) return listRows<EventRow>(sql, list)
  return listRows<EventRow>(sql, { ...list, ownerFilter: ownedByWithKey(sql, owner, 'type', type) })
}
