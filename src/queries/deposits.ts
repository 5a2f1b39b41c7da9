import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Sql } from '../postgres/connect.ts'

/** Where a payment is received: one address for each treasury it may be asked to pay into. */
export type Deposit = { readonly address: string; readonly treasury: string; readonly counter: number }

export const findDeposit = async (sql: Sql, paymentId: string, treasury: string): Promise<Deposit | undefined> => {
  const [row] = await sql<{ address: string; treasury: string; counter: string }[]>`
    select address, treasury, counter from deposit_addresses
    where payment_id = ${paymentId} and treasury = ${treasury}`
  return row && { ...row, counter: Number(row.counter) }
}

/**
 * Whether anything lies at any address of a payment, on whatever chain and in whatever asset, be it told or not. Test
 * money is nothing to a live one.
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

/** Undefined until the merchant has one. */
export const findRecoverySecret = async (sql: Sql, merchantId: string): Promise<string | undefined> => {
  const [row] = await sql<{ sealed: string }[]>`
    select sealed_secret as sealed from recovery_secrets where id = ${merchantId}`
  return row?.sealed
}

/** The first one stays: addresses have been made of it. */
export const keepRecoverySecret = async (sql: Sql, merchantId: string, sealed: string): Promise<void> => {
  await sql`
    insert into recovery_secrets (id, sealed_secret) values (${merchantId}, ${sealed}) on conflict do nothing`
}

/** The merchant's next number, which was never drawn before, not even after a backup that the database was restored from. */
export const drawCounter = async (
  sql: Sql,
  merchantId: string,
): Promise<{ readonly counter: number; readonly sealed: string } | undefined> => {
  const [row] = await sql<
    { counter: string; sealed: string }[]
  >`select counter, sealed from draw_counter(${merchantId})`
  return row && { counter: Number(row.counter), sealed: row.sealed }
}
