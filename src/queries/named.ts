import type { Sql } from '../postgres/connect.ts'
import type { Fragment, PlacedTable } from './places.ts'

/** A record as its merchant asks for it. */
export type RecordName = {
  readonly id: string
  readonly merchantId: string
  /** Undefined: either. */
  readonly livemode: boolean | undefined
}

/** Another merchant's, or one of the other mode, is not there. */
export const findNamed = async <Row extends object>(
  sql: Sql,
  table: PlacedTable,
  { id, merchantId, livemode }: RecordName,
  columns: Fragment = sql`*`,
): Promise<Row | undefined> => {
  const [row] = await sql<Row[]>`
    select ${columns} from ${sql(table)}
    where id = ${id} and merchant_id = ${merchantId} and livemode = coalesce(${livemode ?? null}, livemode)`
  return row
}
