import type { Sql } from '../../../postgres/connect.ts'
import type { Cursor, TransferLog } from '../../chain-log.ts'
import type { KnownTransfer, Point } from './balance-changes.ts'

/** An address, and what is recorded of its native currency up to a block. */
export type NativeAccount = {
  readonly address: string
  /** The last check; undefined where there was none. A new address holds nothing. */
  readonly last: (Point & { readonly hasCode: boolean }) | undefined
  /** Whether a transfer of any asset to it is recorded on this chain. */
  readonly hasReceived: boolean
  readonly known: readonly (KnownTransfer & { readonly txHash: string })[]
}

export type ChainHead = Cursor & { readonly minedAt: Date; readonly finalNumber: number }

/**
 * Reads head and accounts in one statement, up to the head. The head is the highest recorded block up to `upTo`, or the
 * lowest recorded one. Undefined before reading has started.
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

/** The hashes of the recorded blocks from the final one on, by number. */
export const readHashes = async (sql: Sql, chainId: number): Promise<ReadonlyMap<number, string>> => {
  const rows = await sql<{ number: string; hash: string }[]>`
    select number, hash from chain_blocks where chain_id = ${chainId}`
  return new Map(rows.map(({ number, hash }) => [Number(number), hash]))
}

/** The check of an account: the blocks it was checked at, up to which block, and the transfers it found. */
export type NativeCheck = {
  readonly account: NativeAccount
  readonly upTo: number
  readonly points: readonly (Point & { readonly hash: string; readonly minedAt: Date; readonly hasCode: boolean })[]
  /** The first block that shows a collection without known receipts; null where they are known. */
  readonly unexplainedIn: number | null
  readonly found: readonly (TransferLog & { readonly minedAt: Date })[]
}

/** Checks in one statement. The statement blocks the reader of the chain. */
const MAX_PER_STATEMENT = 100

/**
 * Records checks at one head. Returns how many count: a check does not count if another process has checked the account
 * meanwhile.
 */
export const recordChecks = async (
  sql: Sql,
  chainId: number,
  checks: readonly NativeCheck[],
  head: Pick<ChainHead, 'finalNumber'>,
): Promise<number> => {
  let counted = 0
  for (let from = 0; from < checks.length; from += MAX_PER_STATEMENT)
    counted += await recordSome(sql, chainId, checks.slice(from, from + MAX_PER_STATEMENT), head)
  return counted
}

const recordSome = async (
  sql: Sql,
  chainId: number,
  checks: readonly NativeCheck[],
  { finalNumber }: Pick<ChainHead, 'finalNumber'>,
): Promise<number> => {
  const checkRows = checks.map(({ account: { address, last, known }, upTo, unexplainedIn }) => ({
    ...{ address, from_number: last?.number ?? null, to_number: upTo, final_number: finalNumber },
    unexplained_in: unexplainedIn,
    known: String(known.reduce((sum, { amount }) => sum + amount, 0n)),
  }))
  const pointRows = checks.flatMap(({ account: { address }, points }) =>
    points.map(({ number, hash, minedAt, balance, hasCode }) => ({
      ...{ address, number, hash, mined_at: minedAt, balance: String(balance), has_code: hasCode },
    })),
  )
  const foundRows = checks.flatMap(({ found }) =>
    found.map(each => ({
      ...{ address: each.to, tx_hash: each.txHash, log_index: each.logIndex, from_address: each.from },
      ...{ number: each.blockNumber, hash: each.blockHash, mined_at: each.minedAt, amount: String(each.amount) },
    })),
  )
  const [row] = await sql<{ counted: number }[]>`
    select record_native_balances(${chainId}, ${JSON.stringify(checkRows)}::text::json,
      ${JSON.stringify(pointRows)}::text::json, ${JSON.stringify(foundRows)}::text::json) as counted`
  return row?.counted ?? 0
}

/** Deletes a check that nodes do not confirm: the account is checked again from before it. */
export const deleteCheck = async (sql: Sql, chainId: number, { address, last }: NativeAccount): Promise<void> => {
  await sql`
    delete from native_balances
    where chain_id = ${chainId} and address = ${address} and block_number >= ${last?.number ?? 0}`
}
