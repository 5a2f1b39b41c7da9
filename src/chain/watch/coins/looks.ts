import type { Sql } from '../../../postgres/connect.ts'
import type { Cursor, TransferLog } from '../../chain-log.ts'
import type { KnownTransfer, Point } from './rises.ts'

/** An address, and what the books have of its coins up to a block. */
export type NativeAccount = {
  readonly address: string
  /** Where it was looked at last; undefined: nobody has, and it held nothing when it was given out. */
  readonly last: (Point & { readonly hasCode: boolean }) | undefined
  /** Whether the books know of anything, in whatever asset, that came to it on this chain. */
  readonly hasReceived: boolean
  readonly known: readonly (KnownTransfer & { readonly txHash: string })[]
}

export type ChainHead = Cursor & { readonly minedAt: Date; readonly finalNumber: number }

/**
 * Of one moment: the accounts are those of the books up to the head, which is the highest block up to one, or the
 * lowest that there is. Undefined before the books have begun.
 */
export const readAccounts = async (
  sql: Sql,
  chainId: number,
  addresses: readonly string[],
  upTo: number,
): Promise<{ readonly head: ChainHead; readonly accounts: readonly NativeAccount[] } | undefined> => {
  const rows = await sql<AccountRow[]>`
    select b.number, b.hash, b.mined_at, c.final_number, d.address, l.block_number, l.balance, l.has_code,
      exists (
        select from transfers_of(d.payment_id) t
        where t.to_address = d.address and t.chain_id = c.chain_id and t.state <> 'orphaned'
          and t.block_number <= b.number) as has_received,
      coalesce((
      select json_agg(json_build_object(
        'txHash', t.tx_hash, 'blockNumber', t.block_number, 'amount', t.amount::text))
      from transfers_of(d.payment_id) t
      where t.to_address = d.address and t.chain_id = c.chain_id
        and t.token_address is null and t.state <> 'orphaned'
        and t.block_number > coalesce(l.block_number, 0) and t.block_number <= b.number), '[]') as known
    from chain_cursors c
    cross join lateral (
      select number, hash, mined_at from chain_blocks
      where chain_id = c.chain_id order by number > ${upTo}, abs(number - ${upTo}) limit 1) b
    join deposit_addresses d on d.address = any(${[...addresses]}::text[])
    left join lateral (
      select block_number, balance, has_code from native_balances
      where chain_id = c.chain_id and address = d.address order by block_number desc limit 1) l on true
    where c.chain_id = ${chainId} and coalesce(l.block_number, -1) < b.number`
  const [first] = rows
  if (!first) return undefined
  const { hash, mined_at: minedAt } = first
  return {
    head: { number: Number(first.number), hash, minedAt, finalNumber: Number(first.final_number) },
    accounts: rows.map(({ address, block_number, balance, has_code: hasCode, has_received: hasReceived, known }) => ({
      address,
      last: block_number === null ? undefined : { number: Number(block_number), balance: BigInt(balance), hasCode },
      hasReceived,
      known: known.map(({ amount, ...each }) => ({ ...each, amount: BigInt(amount) })),
    })),
  }
}

type AccountRow = {
  readonly number: string
  readonly hash: string
  readonly mined_at: Date
  readonly final_number: string
  readonly address: string
  readonly block_number: string | null
  readonly balance: string
  readonly has_code: boolean
  readonly has_received: boolean
  readonly known: readonly { readonly txHash: string; readonly blockNumber: number; readonly amount: string }[]
}

/** The blocks of the books above the final one, by their number. */
export const readHashes = async (sql: Sql, chainId: number): Promise<ReadonlyMap<number, string>> => {
  const rows = await sql<{ number: string; hash: string }[]>`
    select number, hash from chain_blocks where chain_id = ${chainId}`
  return new Map(rows.map(({ number, hash }) => [Number(number), hash]))
}

/** An account that was looked at: where, up to which block of the books, and which transfers were found by it. */
export type NativeCheck = {
  readonly account: NativeAccount
  readonly upTo: number
  readonly points: readonly (Point & { readonly hash: string; readonly minedAt: Date; readonly hasCode: boolean })[]
  /** The first block that shows that something was collected from it; null where what had come is known. */
  readonly unexplainedIn: number | null
  readonly found: readonly (TransferLog & { readonly minedAt: Date })[]
}

/** A statement keeps whoever reads the chain's blocks waiting. */
const MOST_AT_ONCE = 100

/** Of one head. Answers how many count: one of an account that another process looked at meanwhile does not. */
export const recordLooks = async (
  sql: Sql,
  chainId: number,
  looks: readonly NativeCheck[],
  head: Pick<ChainHead, 'finalNumber'>,
): Promise<number> => {
  let counted = 0
  for (let from = 0; from < looks.length; from += MOST_AT_ONCE)
    counted += await recordSome(sql, chainId, looks.slice(from, from + MOST_AT_ONCE), head)
  return counted
}

const recordSome = async (
  sql: Sql,
  chainId: number,
  looks: readonly NativeCheck[],
  { finalNumber }: Pick<ChainHead, 'finalNumber'>,
): Promise<number> => {
  const lookRows = looks.map(({ account: { address, last, known }, upTo, unexplainedIn }) => ({
    ...{ address, from_number: last?.number ?? null, to_number: upTo, final_number: finalNumber },
    unexplained_in: unexplainedIn,
    known: String(known.reduce((sum, { amount }) => sum + amount, 0n)),
  }))
  const pointRows = looks.flatMap(({ account: { address }, points }) =>
    points.map(({ number, hash, minedAt, balance, hasCode }) => ({
      ...{ address, number, hash, mined_at: minedAt, balance: String(balance), has_code: hasCode },
    })),
  )
  const foundRows = looks.flatMap(({ found }) =>
    found.map(each => ({
      ...{ address: each.to, tx_hash: each.txHash, log_index: each.logIndex, from_address: each.from },
      ...{ number: each.blockNumber, hash: each.blockHash, mined_at: each.minedAt, amount: String(each.amount) },
    })),
  )
  const [row] = await sql<{ counted: number }[]>`
    select record_native_balances(${chainId}, ${JSON.stringify(lookRows)}::text::json,
      ${JSON.stringify(pointRows)}::text::json, ${JSON.stringify(foundRows)}::text::json) as counted`
  return row?.counted ?? 0
}

/** What was written down at a block, and nodes do not confirm: the account is looked at again from before. */
export const forgetLook = async (sql: Sql, chainId: number, { address, last }: NativeAccount): Promise<void> => {
  await sql`
    delete from native_balances
    where chain_id = ${chainId} and address = ${address} and block_number >= ${last?.number ?? 0}`
}
