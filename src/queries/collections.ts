import type { Sql } from '../postgres/connect.ts'

/** An address of a merchant that money has come to on a chain, and may be at still. */
export type WaitingRow = {
  readonly address: string
  readonly treasury: string
  readonly counter: number
  /** Of the payment that it was given out for. */
  readonly state: string
  /** The chain that it was to be paid on; null when nothing was picked. */
  readonly payment_chain_id: number | null
}

/** Those last that were empty when they were looked at before. */
export const listWaiting = async (
  sql: Sql,
  { merchantId, chainId, limit }: { merchantId: string; chainId: number; limit: number },
): Promise<WaitingRow[]> =>
  (
    await sql<(WaitingRow & { counter: string; payment_chain_id: string | null })[]>`
      select w.address, d.treasury, d.counter, p.state, p.chain_id as payment_chain_id
      from waiting_addresses w
      join deposit_addresses d using (address)
      join payments p on p.id = d.payment_id
      where w.merchant_id = ${merchantId} and w.chain_id = ${chainId}
      order by coalesce(w.empty_number >= w.last_block, false), d.counter
      limit ${limit}`
  ).map(row => ({
    ...row,
    counter: Number(row.counter),
    payment_chain_id: row.payment_chain_id === null ? null : Number(row.payment_chain_id),
  }))

export type EmptyBlock = { readonly number: number; readonly hash: string }

/** Blocks in which addresses were found empty, and which the chain's reader has gone past for good. */
export const listEmptyBlocks = async (sql: Sql, merchantId: string, chainId: number): Promise<EmptyBlock[]> =>
  (
    await sql<{ number: string; hash: string }[]>`
      select distinct w.empty_number as number, w.empty_hash as hash
      from waiting_addresses w join chain_cursors c using (chain_id)
      where w.merchant_id = ${merchantId} and w.chain_id = ${chainId}
        and w.empty_number between w.last_block and c.final_number
      order by 1 limit 100`
  ).map(({ number, hash }) => ({ number: Number(number), hash }))

/** `isFinal`: the chain has this block; else it has another one at its place. */
export const settleEmptiness = async (
  sql: Sql,
  { merchantId, chainId }: { merchantId: string; chainId: number },
  { number, hash }: EmptyBlock,
  isFinal: boolean,
): Promise<void> => {
  await sql`select settle_emptiness(${merchantId}, ${chainId}, ${number}, ${hash}, ${isFinal})`
}

export const rememberEmptiness = async (
  sql: Sql,
  chainId: number,
  { number, hash }: EmptyBlock,
  found: readonly { readonly address: string; readonly empty: boolean }[],
): Promise<void> => {
  await sql`select remember_emptiness(${chainId}, ${number}, ${hash}, ${JSON.stringify(found)}::text::json)`
}
