import { refuse } from '../errors.ts'
import type { Sql } from '../postgres/connect.ts'
import { findPlace, type PlacedPage, type PlacedTable, type Whose } from '../queries/places.ts'
import { readCursor } from './list.ts'

type ListQuery = { readonly startingAfter?: string; readonly limit: number; readonly order: 'asc' | 'desc' }

/** The part of a list that a query asks for. A cursor that names no record of it is refused, whatever it names else. */
export const placedPage = async (
  sql: Sql,
  table: PlacedTable,
  whose: Whose,
  { startingAfter, limit, order }: ListQuery,
  decode: (text: string) => string | undefined,
): Promise<PlacedPage> => {
  const id = readCursor(startingAfter, decode)
  if (id === undefined) return { after: undefined, limit, order }
  const after = await findPlace(sql, table, whose, id)
  return { after: after ?? refuse('invalid_cursor', { param: 'startingAfter' }), limit, order }
}
