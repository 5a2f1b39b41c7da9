import type { Sql } from '../postgres/connect.ts'
import type { EventRow } from '../records/event.ts'
import { finderOf } from './named.ts'
import { listPlaced, narrowed, type PlacedPage, type Whose } from './places.ts'

const columns = (sql: Sql) => sql`id, type, created_at as "createdAt", livemode, api_version as "apiVersion", object`

export const findEvent = finderOf<EventRow>('events', columns)

export const listEvents = (sql: Sql, whose: Whose, type: string | undefined, page: PlacedPage): Promise<EventRow[]> => {
  const filters = narrowed(sql, { type })
  return listPlaced<EventRow>(sql, { table: 'events', whose, page, columns: columns(sql), filters })
}
