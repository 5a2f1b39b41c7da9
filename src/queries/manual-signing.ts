import type { Sql } from '../postgres/connect.ts'

/** Returns those of the refunds that wait for a manual signature (sql/007-refund-signers.sql). */
export const listManuallySigned = async (sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ id: string }[]>`
    select id from refunds_by_hand where id = any(${[...ids]}::uuid[])`
  return new Set(rows.map(({ id }) => id))
}

/** Whether a refund signer will sign the refund, or has signed it. */
export const isForSigner = async (sql: Sql, id: string): Promise<boolean> => {
  const rows = await sql`
    select from refunds r
    where r.id = ${id} and (
      exists (select from signer_nonces n where n.refund_id = r.id)
      or r.state = 'requires_signature' and not exists (select from refunds_by_hand h where h.id = r.id))`
  return rows.length > 0
}
