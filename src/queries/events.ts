import type { Sql } from '../postgres/connect.ts'
import { finderOf } from './named.ts'
import type { Page } from './page.ts'
import { areTheirsWith, listPlaced, type Whose } from './places.ts'

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

export const listEvents = (sql: Sql, whose: Whose, type: string | undefined, page: Page): Promise<EventRow[]> => {
  const list = { table: 'events', whose, page, columns: columns(sql) } as const
  if (type === undefined) return listPlaced<EventRow>(sql, list)
  return listPlaced<EventRow>(sql, { ...list, theirs: areTheirsWith(sql, whose, 'type', type) })
}
