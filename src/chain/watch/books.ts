import type { Sql } from '../../postgres/connect.ts'
import type { Block, Cursor, TransferLog } from '../chain-log.ts'

/** Of the blocks from one on and up to another. */
export const numbersOf = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n)

/** Another process was quicker, or the books were put back to an older day: read the cursor, and go on from there. */
export const isMovedCursor = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'PM002'

/** A chain's books: how far it has been read, and what is kept beside that. */
export type Books = Cursor & {
  /** Rises with every change. */
  readonly step: number
  readonly finalNumber: number
  /** Reading began at this block and at this time. */
  readonly begunNumber: number
  readonly begunAt: Date
  readonly confirmations: number | null
  readonly livemode: boolean | null
  readonly epoch: string | null
  /** It had other blocks than those that were final. */
  readonly stopped: boolean
}

export const findCursor = async (sql: Sql, chainId: number): Promise<Books | undefined> => {
  const [row] = await sql<
    (Omit<Books, Counted> & Record<'number' | 'step' | 'final_number' | 'begun_number', string>)[]
  >`
    select number, hash, step, final_number, begun_number, begun_at as "begunAt", confirmations, livemode, epoch, stopped_at is not null as stopped
    from chain_cursors where chain_id = ${chainId}`
  if (!row) return undefined
  const { number, step, final_number: finalNumber, begun_number: begunNumber, ...rest } = row
  const numbers = { finalNumber: Number(finalNumber), begunNumber: Number(begunNumber) }
  return { ...rest, ...numbers, number: Number(number), step: Number(step) }
}

type Counted = 'number' | 'step' | 'finalNumber' | 'begunNumber'

/** What a payment waits for as a rule: by that it is told whose merchant asked for more. */
export const keepConfirmations = async (sql: Sql, chainId: number, confirmations: number): Promise<void> => {
  await sql`update chain_cursors set confirmations = ${confirmations} where chain_id = ${chainId}`
}

export const keepLivemode = async (sql: Sql, chainId: number, livemode: boolean): Promise<void> => {
  await sql`update chain_cursors set livemode = ${livemode} where chain_id = ${chainId}`
}

export const keepEpoch = async (sql: Sql, chainId: number, epoch: string): Promise<void> => {
  await sql`update chain_cursors set epoch = ${epoch} where chain_id = ${chainId}`
}

/** At a cursor: another process may have gone on from there. */
export const keepStopped = async (sql: Sql, chainId: number, { number, hash }: Cursor, is: boolean): Promise<void> => {
  await sql`
    update chain_cursors set stopped_at = case when ${is} then coalesce(stopped_at, now()) end
    where chain_id = ${chainId} and number = ${number} and hash = ${hash}`
}

/** Begins a chain's books at a block; when they have begun already, nothing changes. */
export const beginBooks = async (sql: Sql, chainId: number, { number, hash, minedAt }: Block): Promise<void> => {
  await sql`
    with begun as (
      insert into chain_cursors (chain_id, number, hash, mined_at, begun_number, final_number, step)
      values (${chainId}, ${number}, ${hash}, ${minedAt}, ${number}, ${number}, 1)
      on conflict do nothing returning chain_id)
    insert into chain_blocks (chain_id, number, hash, mined_at)
    select chain_id, ${number}, ${hash}, ${minedAt} from begun`
}

/** The blocks that a fork is looked for in, the highest first. */
export const recentBlocks = async (sql: Sql, chainId: number): Promise<Cursor[]> =>
  (
    await sql<{ number: string; hash: string }[]>`
      select number, hash from chain_blocks where chain_id = ${chainId} order by number desc`
  ).map(({ number, hash }) => ({ number: Number(number), hash }))

/** `byAll`: there is no other node that could be asked. Answers how many payments are concerned. */
export const recordBlocks = async (
  sql: Sql,
  chainId: number,
  from: Cursor,
  {
    blocks,
    logs,
    byAll = false,
  }: { readonly blocks: readonly Block[]; readonly logs: readonly TransferLog[]; readonly byAll?: boolean },
): Promise<number> => {
  return concerned(
    await sql<Concerned[]>`
      select record_blocks(${chainId}, ${from.number}, ${from.hash}, ${hashesOf(sql, blocks)}, ${timesOf(sql, blocks)},
        ${JSON.stringify(logs.map(rowOf))}::text::json, ${byAll}) as payments`,
  )
}

/** Two nodes have told of these. */
export const agreeOn = async (sql: Sql, chainId: number, logs: readonly TransferLog[]): Promise<void> => {
  await sql`select agree_on_transfers(${chainId}, ${JSON.stringify(logs.map(rowOf))}::text::json)`
}

/** Those of these addresses that were ever given out, or that refunds of tokens go to. */
const findOurs = async (sql: Sql, addresses: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ address: string }[]>`
    select address from deposit_addresses where address = any(${[...addresses]}::text[])
    union all
    select to_address from refund_destinations
    where to_address = any(${[...addresses]}::text[]) and token_address is not null`
  return new Set(rows.map(({ address }) => address))
}

/** Those of these that went to such an address. */
export const oursAmong = async (sql: Sql, logs: readonly TransferLog[]): Promise<readonly TransferLog[]> => {
  if (logs.length === 0) return logs
  const ours = await findOurs(sql, [...new Set(logs.map(({ to }) => to))])
  return logs.filter(({ to }) => ours.has(to))
}

/** The blocks that they are in, each once. */
export const blocksOf = (logs: readonly TransferLog[]): readonly Cursor[] => [
  ...new Map(logs.map(({ blockNumber: number, blockHash: hash }) => [hash, { number, hash }])).values(),
]

type Written = {
  readonly logs: readonly TransferLog[]
  /** Transfers that are not credited, and of which nothing shows whether they are real: their payments need attention. */
  readonly unproven?: readonly TransferLog[]
}

/** Final blocks behind the cursor, of which only those with transfers of ours are told, and the last one. */
export const recordFinalRange = async (
  sql: Sql,
  chainId: number,
  from: Cursor,
  { blocks, logs, unproven = [] }: Written & { readonly blocks: readonly Block[] },
): Promise<number> =>
  concerned(
    await sql<Concerned[]>`
      select catch_up(${chainId}, ${from.number}, ${from.hash}, ${blocks.map(({ number }) => number)}::bigint[],
        ${hashesOf(sql, blocks)}, ${timesOf(sql, blocks)}, ${JSON.stringify(logs.map(rowOf))}::text::json,
        ${JSON.stringify(unproven.map(rowOf))}::text::json) as payments`,
  )

export const rewindBlocks = async (sql: Sql, chainId: number, from: Cursor, to: number): Promise<number> =>
  concerned(
    await sql<Concerned[]>`
      select rewind_blocks(${chainId}, ${from.number}, ${from.hash}, ${to}) as payments`,
  )

/** Returns the number of payments that are concerned. */
export const beginBooksAnew = async (
  sql: Sql,
  chainId: number,
  from: Cursor,
  { block, epoch }: { readonly block: Block; readonly epoch: string | null },
): Promise<number> =>
  concerned(
    await sql<Concerned[]>`
      select restart_chain_state(${chainId}, ${from.number}, ${from.hash},
        ${JSON.stringify(blockRowOf(block))}::text::json, ${epoch}) as payments`,
  )

/** Those that become final together with this one, the lowest first. */
export const blocksUpTo = async (sql: Sql, chainId: number, upTo: number): Promise<Cursor[]> =>
  (
    await sql<{ number: string; hash: string }[]>`
      select b.number, b.hash from chain_blocks b join chain_cursors c using (chain_id)
      where chain_id = ${chainId} and b.number > c.final_number and b.number <= ${upTo} order by b.number`
  ).map(({ number, hash }) => ({ number: Number(number), hash }))

/**
 * `logs`: all transfers of the blocks that become final, read of the books as they were at their step. `askedAgain`:
 * the hashes of those that were asked about by themselves; see `notFoundAgain`.
 */
export const finalizeBlocks = async (
  sql: Sql,
  chainId: number,
  at: Pick<Books, 'number' | 'hash' | 'step'>,
  {
    upTo,
    logs,
    askedAgain = [],
    unproven = [],
  }: Written & { readonly upTo: number; readonly askedAgain?: readonly string[] },
): Promise<number> =>
  concerned(
    await sql<Concerned[]>`
      select finalize_blocks(${chainId}, ${at.number}, ${at.hash}, ${at.step}, ${upTo},
        ${JSON.stringify(logs.map(rowOf))}::text::json, ${[...askedAgain]}::text[],
        ${JSON.stringify(unproven.map(rowOf))}::text::json) as payments`,
  )

/** The hashes of blocks in which transfers were seen that are not among those that are to be final. */
export const notFoundAgain = (error: unknown): readonly string[] | undefined =>
  error instanceof Error && 'code' in error && error.code === 'PM005' && 'detail' in error
    ? (JSON.parse(String(error.detail)) as string[])
    : undefined

/** When blocks of the books were mined, where it was not said truly before. */
export const correctTimes = async (sql: Sql, chainId: number, blocks: readonly Block[]): Promise<void> => {
  await sql`
    update chain_blocks b set mined_at = told.mined_at
    from unnest(${hashesOf(sql, blocks)}, ${timesOf(sql, blocks)}, ${blocks.map(({ number }) => number)}::bigint[])
      as told(hash, mined_at, number)
    where b.chain_id = ${chainId} and b.number = told.number and b.hash = told.hash and b.mined_at <> told.mined_at`
}

// A column each: read three times as fast as rows of JSON. As one text, which Postgres splits faster than it reads an array.
const hashesOf = (sql: Sql, blocks: readonly Block[]) =>
  sql`string_to_array(${blocks.map(({ hash }) => hash).join(',')}, ',')`
// As seconds: to write a date as text takes longer than all else of a block.
const timesOf = (sql: Sql, blocks: readonly Block[]) =>
  sql`array(select to_timestamp(at::float8) from string_to_table(${blocks.map(({ minedAt }) => minedAt.getTime() / 1_000).join(',')}, ',') at)`

const blockRowOf = ({ number, hash, minedAt }: Block) => ({ number, hash, mined_at: minedAt })

const rowOf = (log: TransferLog) => ({
  tx_hash: log.txHash,
  log_index: log.logIndex,
  block_number: log.blockNumber,
  block_hash: log.blockHash,
  token_address: log.token,
  from_address: log.from,
  to_address: log.to,
  // As text: a number of JSON could not hold it.
  amount: String(log.amount),
})

type Concerned = { readonly payments: number }

const concerned = ([row]: readonly Concerned[]): number => row?.payments ?? 0
