import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Sql } from '../postgres/connect.ts'

/** A deposit address. A payment has one for each treasury that was used for it. */
export type Deposit = { readonly address: string; readonly treasury: string; readonly counter: number }

export const findDeposit = async (sql: Sql, paymentId: string, treasury: string): Promise<Deposit | undefined> => {
  const [row] = await sql<{ address: string; treasury: string; counter: string }[]>`
    select address, treasury, counter from deposit_addresses
    where payment_id = ${paymentId} and treasury = ${treasury}`
  return row && { ...row, counter: Number(row.counter) }
}

/**
 * Whether any deposit address of a payment has received a transfer, on any chain and in any asset, applied to the
 * payment or not. Transfers on test chains do not count for live payments.
 */
export const hasReceived = async (
  sql: Sql,
  { id, context: { livemode } }: Pick<Actor<Pick<Payment, 'livemode'>>, 'id' | 'context'>,
): Promise<boolean> => {
  const [row] = await sql<[{ has: boolean }]>`
    select exists (
      select from transfers_of(${id}) t
      where t.state <> 'orphaned' and not (${livemode} and exists (
        select from chain_cursors c where c.chain_id = t.chain_id and not c.livemode))) as has`
  return row.has
}

/** Returns undefined if the merchant has none yet. */
export const findRecoverySecret = async (sql: Sql, merchantId: string): Promise<string | undefined> => {
  const [row] = await sql<{ sealed: string }[]>`
    select sealed_secret as sealed from recovery_secrets where id = ${merchantId}`
  return row?.sealed
}

/** Does not replace an existing secret, because addresses were derived from it. */
export const insertRecoverySecret = async (sql: Sql, merchantId: string, sealed: string): Promise<void> => {
  await sql`
    insert into recovery_secrets (id, sealed_secret) values (${merchantId}, ${sealed}) on conflict do nothing`
}

/** Takes the merchant's next counter. Each is used only once, also after the database was restored from a backup. */
export const takeNextCounter = async (
  sql: Sql,
  merchantId: string,
): Promise<{ readonly counter: number; readonly sealed: string } | undefined> => {
  const [row] = await sql<
    { counter: string; sealed: string }[]
  >`select counter, sealed from draw_counter(${merchantId})`
  return row && { counter: Number(row.counter), sealed: row.sealed }
}
