import type { Sql } from '../postgres/connect.ts'

/** A deposit address that has received money on a chain, and may still have it. */
export type WaitingRow = {
  readonly address: string
  readonly treasury: string
  readonly counter: number
  /** The state of its payment. */
  readonly state: string
  /** The chain of the picked asset; null if none was picked. */
  readonly payment_chain_id: number | null
}

/** Addresses that were empty at the last check come last. */
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

/** Blocks in which addresses were found empty, and which are final by now. */
export const listEmptyBlocks = async (sql: Sql, merchantId: string, chainId: number): Promise<EmptyBlock[]> =>
  (
    await sql<{ number: string; hash: string }[]>`
      select distinct w.empty_number as number, w.empty_hash as hash
      from waiting_addresses w join chain_cursors c using (chain_id)
      where w.merchant_id = ${merchantId} and w.chain_id = ${chainId}
        and w.empty_number between w.last_block and c.final_number
      order by 1 limit 100`
  ).map(({ number, hash }) => ({ number: Number(number), hash }))

/** `isFinal`: the block is canonical. Otherwise the chain has another block with this number. */
export const settleEmptiness = async (
  sql: Sql,
  { merchantId, chainId }: { merchantId: string; chainId: number },
  { number, hash }: EmptyBlock,
  isFinal: boolean,
): Promise<void> => {
  await sql`select settle_emptiness(${merchantId}, ${chainId}, ${number}, ${hash}, ${isFinal})`
}

export const recordEmptiness = async (
  sql: Sql,
  chainId: number,
  { number, hash }: EmptyBlock,
  found: readonly { readonly address: string; readonly empty: boolean }[],
): Promise<void> => {
  await sql`select remember_emptiness(${chainId}, ${number}, ${hash}, ${JSON.stringify(found)}::text::json)`
}
