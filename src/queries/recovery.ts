import type { Sql } from '../postgres/connect.ts'
import type { AccountActor } from './security-events.ts'

/** A treasury of a merchant. `chain_id` is the chain of the payment. */
export type TreasuryRow = {
  readonly address: string
  /** Null: every chain of the mode. */
  readonly chain_id: number | null
  /** Null if the row comes from a payment, which has a chain. */
  readonly livemode: boolean | null
}

/** The treasuries of existing deposit addresses, and those in the settings. */
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

/** The highest counter that was used for an address; null if there is none. */
export const findHighestCounter = async (sql: Sql, merchantId: string): Promise<number | null> => {
  const [row] = await sql<
    { next: string }[]
  >`select next_counter as next from recovery_secrets where id = ${merchantId}`
  return row && row.next !== '0' ? Number(row.next) - 1 : null
}

/** Records the download if the account is an owner now. Returns false otherwise. */
export const recordRecoveryFile = async (
  sql: Sql,
  merchantId: string,
  { accountId, actor, address }: AccountActor,
): Promise<boolean> => {
  const rows = await sql`
    select record_security_event(${merchantId}, ${accountId}, ${actor}, ${address}, 'recovery_file.downloaded')
    from members where merchant_id = ${merchantId} and account_id = ${accountId} and role = 'owner'`
  return rows.length > 0
}
