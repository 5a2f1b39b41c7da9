import type { Sql } from '../postgres/connect.ts'
import type { Doer } from './security-events.ts'

/** Where money of a merchant ends up, or may: `chain_id` is the one that it was to be paid on. */
export type TreasuryRow = {
  readonly address: string
  /** Null: every chain of the mode. */
  readonly chain_id: number | null
  /** Null: of a payment, which names its chain. */
  readonly livemode: boolean | null
}

/** Those that addresses were made with, and those that are set now. */
export const listTreasuries = async (sql: Sql, merchantId: string): Promise<TreasuryRow[]> =>
  (
    await sql<(TreasuryRow & { chain_id: string | null })[]>`
      select distinct d.treasury as address, p.chain_id, null::boolean as livemode
      from deposit_addresses d join payments p on p.id = d.payment_id
      where d.merchant_id = ${merchantId}
      union
      select lower(address), chain_id, livemode from receiving_addresses where merchant_id = ${merchantId}
      order by 1, 2, 3`
  ).map(row => ({ ...row, chain_id: row.chain_id === null ? null : Number(row.chain_id) }))

/** No address was made of a higher number; null when there was none. */
export const findHighestCounter = async (sql: Sql, merchantId: string): Promise<number | null> => {
  const [row] = await sql<
    { next: string }[]
  >`select next_counter as next from recovery_secrets where id = ${merchantId}`
  return row && row.next !== '0' ? Number(row.next) - 1 : null
}

/** For whoever is an owner at this moment: false is nobody's. What was downloaded is not taken back. */
export const recordRecoveryFile = async (
  sql: Sql,
  merchantId: string,
  { accountId, actor, address }: Doer,
): Promise<boolean> => {
  const rows = await sql`
    select record_security_event(${merchantId}, ${accountId}, ${actor}, ${address}, 'recovery_file.downloaded')
    from members where merchant_id = ${merchantId} and account_id = ${accountId} and role = 'owner'`
  return rows.length > 0
}
