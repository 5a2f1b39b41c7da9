import type { Sql } from '../postgres/connect.ts'

/**
 * Those of these refunds that wait for somebody to sign them by hand: their merchant has no signer for them, or it has
 * left them alone for good. No signer signs them any more, whatever is set up later (sql/026-refund-signers.sql).
 */
export const listSignedByHand = async (sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ id: string }[]>`
    select r.id from refunds r
    where r.id = any(${[...ids]}::uuid[]) and r.state = 'requires_signature' and (
      exists (select from signing_waits w where w.refund_id = r.id and w.next_try_at = 'infinity')
      or not exists (
        select from working_signers s
        where s.merchant_id = r.merchant_id and s.chain_id = r.chain_id and s.livemode = r.livemode))`
  return new Set(rows.map(({ id }) => id))
}
