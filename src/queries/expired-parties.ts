import type { Sql } from '../postgres/connect.ts'

/** Invoices in one statement, and stored documents: it writes at most 500 rows. */
export const INVOICES_AT_ONCE = 250

export type RemovedParties = { readonly invoices: number; readonly documents: number }

/** Deletes the parties of some invoices of erased customers, and documents that show them. Nothing is left if it finds none. */
export const removeExpiredParties = async (sql: Sql, most = INVOICES_AT_ONCE): Promise<RemovedParties> => {
  const [removed] = await sql<RemovedParties[]>`select * from remove_expired_parties(${most})`
  return removed ?? { invoices: 0, documents: 0 }
}
