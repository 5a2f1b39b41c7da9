import type { Sql } from '../postgres/connect.ts'
import type { EventRow } from '../records/event.ts'
import { listPlaced, type PlacedPage, type Whose } from './places.ts'

export type EventName = {
  readonly id: string
  readonly merchantId: string
  /** Undefined: either. */
  readonly livemode: boolean | undefined
}

export const findEvent = async (sql: Sql, { id, merchantId, livemode }: EventName): Promise<EventRow | undefined> => {
  const [row] = await sql<EventRow[]>`
    select ${columns(sql)} from events
    where id = ${id} and merchant_id = ${merchantId} and livemode = coalesce(${livemode ?? null}, livemode)`
  return row
}

export const listEvents = (sql: Sql, whose: Whose, type: string | undefined, page: PlacedPage): Promise<EventRow[]> => {
  const filters = type === undefined ? sql`` : sql`and type = ${type}`
  return listPlaced<EventRow>(sql, { table: 'events', whose, page, columns: columns(sql), filters })
}

const columns = (sql: Sql) => sql`id, type, created_at as "createdAt", livemode, api_version as "apiVersion", object`
