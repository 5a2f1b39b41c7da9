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

/** With the kind of the object that the event is about. */
export type FoundEvent = EventRow & { readonly kind: string }

const columns = (sql: Sql) =>
  sql`id, kind, type, created_at as "createdAt", livemode, api_version as "apiVersion", json_of(object) as object`

export const findEvent = finderOf<FoundEvent>('events', columns)

export type EventFilter = {
  readonly type: string | undefined
  /** The object that the events are about. */
  readonly objectId: string | undefined
  /** Kinds of objects whose events are left out. */
  readonly hiddenKinds?: readonly string[]
}

export const listEvents = (
  sql: Sql,
  owner: ListOwner,
  { type, objectId, hiddenKinds = [] }: EventFilter,
  page: Page,
): Promise<EventRow[]> => {
  const visible = hiddenKinds.length === 0 ? sql`` : sql`and kind <> all(${[...hiddenKinds]}::text[])`
  const list = { table: 'events', owner, page, columns: columns(sql), filters: visible } as const
  if (objectId !== undefined) {
    const filters = sql`${visible} ${filtersOf(sql, { type })}`
    return listRows<EventRow>(sql, { ...list, filters, parts: [{ few: sql`actor = ${objectId}` }] })
  }
  if (type === undefined) return listRows<EventRow>(sql, list)
  return listRows<EventRow>(sql, { ...list, ownerFilter: ownedByWithKey(sql, owner, 'type', type) })
}
