import type { Sql } from '../postgres/connect.ts'

/** Those of these refunds that wait for somebody to sign them by hand (sql/026-refund-signers.sql). */
export const listSignedByHand = async (sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ id: string }[]>`
    select id from refunds_by_hand where id = any(${[...ids]}::uuid[])`
  return new Set(rows.map(({ id }) => id))
}
