import type { Sql } from '../postgres/connect.ts'

/** Invoices in one statement. Each has at most one stored document, so the statement writes at most 500 rows. */
export const INVOICES_AT_ONCE = 250

/** Deletes the parties of some invoices of erased customers. Returns of how many. */
export const removeExpiredParties = async (sql: Sql): Promise<number> => {
  const [row] = await sql<{ removed: number }[]>`select remove_expired_parties(${INVOICES_AT_ONCE}) as removed`
  return row?.removed ?? 0
}
