import type { Sql } from '../../postgres/connect.ts'
import type { Block, Cursor, TransferLog } from '../chain-log.ts'

/** The block numbers between two blocks, both included. */
export const blockNumbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n)

/**
 * Another process was faster, or the database was restored to an earlier state: read the cursor and continue from
 * there.
 */
export const isMovedCursor = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'PM002'

/** The recorded state of a chain. */
export type ChainState = Cursor & {
  /** Increases with every change. */
  readonly step: number
  readonly finalNumber: number
  /** The block and time at which reading started. */
  readonly begunNumber: number
  readonly begunAt: Date
  readonly confirmations: number | null
  readonly livemode: boolean | null
  readonly epoch: string | null
  /** Reading has stopped because the chain was reorganized below its final block. */
  readonly stopped: boolean
}

export const findCursor = async (sql: Sql, chainId: number): Promise<ChainState | undefined> => {
  const [row] = await sql<
    (Omit<ChainState, NumberColumn> & Record<'number' | 'step' | 'final_number' | 'begun_number', string>)[]
  >`
    select number, hash, step, final_number, begun_number, begun_at as "begunAt", confirmations, livemode, epoch, stopped_at is not null as stopped
    from chain_cursors where chain_id = ${chainId}`
  if (!row) return undefined
  const { number, step, final_number: finalNumber, begun_number: begunNumber, ...rest } = row
  const numbers = { finalNumber: Number(finalNumber), begunNumber: Number(begunNumber) }
  return { ...rest, ...numbers, number: Number(number), step: Number(step) }
}

type NumberColumn = 'number' | 'step' | 'finalNumber' | 'begunNumber'

/** The server's usual number of confirmations. A payment that requires more has a merchant who set more. */
export const storeConfirmations = async (sql: Sql, chainId: number, confirmations: number): Promise<void> => {
  await sql`update chain_cursors set confirmations = ${confirmations} where chain_id = ${chainId}`
}

export const storeLivemode = async (sql: Sql, chainId: number, livemode: boolean): Promise<void> => {
  await sql`update chain_cursors set livemode = ${livemode} where chain_id = ${chainId}`
}

export const storeEpoch = async (sql: Sql, chainId: number, epoch: string): Promise<void> => {
  await sql`update chain_cursors set epoch = ${epoch} where chain_id = ${chainId}`
}

/** Only at this cursor: another process may have moved it. */
export const storeStopped = async (sql: Sql, chainId: number, { number, hash }: Cursor, is: boolean): Promise<void> => {
  await sql`
    update chain_cursors set stopped_at = case when ${is} then coalesce(stopped_at, now()) end
    where chain_id = ${chainId} and number = ${number} and hash = ${hash}`
}

/** Starts the chain state at a block. Does nothing where there is one. */
export const startChainState = async (sql: Sql, chainId: number, { number, hash, minedAt }: Block): Promise<void> => {
  await sql`
    with started as (
      insert into chain_cursors (chain_id, number, hash, mined_at, begun_number, final_number, step)
      values (${chainId}, ${number}, ${hash}, ${minedAt}, ${number}, ${number}, 1)
      on conflict do nothing returning chain_id)
    insert into chain_blocks (chain_id, number, hash, mined_at)
    select chain_id, ${number}, ${hash}, ${minedAt} from started`
}

/** The recorded blocks, in which a fork is searched, the highest first. */
export const recentBlocks = async (sql: Sql, chainId: number): Promise<Cursor[]> =>
  (
    await sql<{ number: string; hash: string }[]>`
      select number, hash from chain_blocks where chain_id = ${chainId} order by number desc`
  ).map(({ number, hash }) => ({ number: Number(number), hash }))

/** `byAll`: there is no other node that could be asked. Returns the number of payments affected. */
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
  return paymentCount(
    await sql<PaymentCount[]>`
      select record_blocks(${chainId}, ${from.number}, ${from.hash}, ${hashesOf(sql, blocks)}, ${timesOf(sql, blocks)},
        ${JSON.stringify(logs.map(rowOf))}::text::json, ${byAll}) as payments`,
  )
}

/** Records that two nodes have reported these transfers. */
export const recordAgreed = async (sql: Sql, chainId: number, logs: readonly TransferLog[]): Promise<void> => {
  await sql`select agree_on_transfers(${chainId}, ${JSON.stringify(logs.map(rowOf))}::text::json)`
}

/** The addresses among these that are deposit addresses or destinations of token refunds. */
const findOurAddresses = async (sql: Sql, addresses: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ address: string }[]>`
    select address from deposit_addresses where address = any(${[...addresses]}::text[])
    union all
    select to_address from refund_destinations
    where to_address = any(${[...addresses]}::text[]) and token_address is not null`
  return new Set(rows.map(({ address }) => address))
}

/** The transfers among these that go to such an address. */
export const transfersToUs = async (sql: Sql, logs: readonly TransferLog[]): Promise<readonly TransferLog[]> => {
  if (logs.length === 0) return logs
  const ours = await findOurAddresses(sql, [...new Set(logs.map(({ to }) => to))])
  return logs.filter(({ to }) => ours.has(to))
}

/** The blocks of these transfers, each once. */
export const blocksOf = (logs: readonly TransferLog[]): readonly Cursor[] => [
  ...new Map(logs.map(({ blockNumber: number, blockHash: hash }) => [hash, { number, hash }])).values(),
]

type TransfersToRecord = {
  readonly logs: readonly TransferLog[]
  /** Transfers that are not credited because nothing proves them: their payments need attention. */
  readonly unproven?: readonly TransferLog[]
}

/** Records final blocks after the cursor: those with transfers to our addresses, and the last one. */
export const recordFinalRange = async (
  sql: Sql,
  chainId: number,
  from: Cursor,
  { blocks, logs, unproven = [] }: TransfersToRecord & { readonly blocks: readonly Block[] },
): Promise<number> =>
  paymentCount(
    await sql<PaymentCount[]>`
      select catch_up(${chainId}, ${from.number}, ${from.hash}, ${blocks.map(({ number }) => number)}::bigint[],
        ${hashesOf(sql, blocks)}, ${timesOf(sql, blocks)}, ${JSON.stringify(logs.map(rowOf))}::text::json,
        ${JSON.stringify(unproven.map(rowOf))}::text::json) as payments`,
  )

export const rewindBlocks = async (sql: Sql, chainId: number, from: Cursor, to: number): Promise<number> =>
  paymentCount(
    await sql<PaymentCount[]>`
      select rewind_blocks(${chainId}, ${from.number}, ${from.hash}, ${to}) as payments`,
  )

/** Returns the number of payments affected. */
export const restartChainState = async (
  sql: Sql,
  chainId: number,
  from: Cursor,
  { block, epoch }: { readonly block: Block; readonly epoch: string | null },
): Promise<number> =>
  paymentCount(
    await sql<PaymentCount[]>`
      select restart_chain_state(${chainId}, ${from.number}, ${from.hash},
        ${JSON.stringify(blockRowOf(block))}::text::json, ${epoch}) as payments`,
  )

/** The blocks that become final up to this number, the lowest first. */
export const blocksUpTo = async (sql: Sql, chainId: number, upTo: number): Promise<Cursor[]> =>
  (
    await sql<{ number: string; hash: string }[]>`
      select b.number, b.hash from chain_blocks b join chain_cursors c using (chain_id)
      where chain_id = ${chainId} and b.number > c.final_number and b.number <= ${upTo} order by b.number`
  ).map(({ number, hash }) => ({ number: Number(number), hash }))

/**
 * `logs`: all transfers of the blocks that become final, as read at this step of the chain state. `askedAgain`: the
 * hashes of blocks that were queried one by one; see `notFoundAgain`.
 */
export const finalizeBlocks = async (
  sql: Sql,
  chainId: number,
  at: Pick<ChainState, 'number' | 'hash' | 'step'>,
  {
    upTo,
    logs,
    askedAgain = [],
    unproven = [],
  }: TransfersToRecord & { readonly upTo: number; readonly askedAgain?: readonly string[] },
): Promise<number> =>
  paymentCount(
    await sql<PaymentCount[]>`
      select finalize_blocks(${chainId}, ${at.number}, ${at.hash}, ${at.step}, ${upTo},
        ${JSON.stringify(logs.map(rowOf))}::text::json, ${[...askedAgain]}::text[],
        ${JSON.stringify(unproven.map(rowOf))}::text::json) as payments`,
  )

/** The hashes of blocks with seen transfers that are missing in the logs to be finalized. */
export const notFoundAgain = (error: unknown): readonly string[] | undefined =>
  error instanceof Error && 'code' in error && error.code === 'PM005' && 'detail' in error
    ? (JSON.parse(String(error.detail)) as string[])
    : undefined

/** Corrects the block times that one node reported wrongly. */
export const correctTimes = async (sql: Sql, chainId: number, blocks: readonly Block[]): Promise<void> => {
  await sql`
    update chain_blocks b set mined_at = agreed.mined_at
    from unnest(${hashesOf(sql, blocks)}, ${timesOf(sql, blocks)}, ${blocks.map(({ number }) => number)}::bigint[])
      as agreed(hash, mined_at, number)
    where b.chain_id = ${chainId} and b.number = agreed.number and b.hash = agreed.hash and b.mined_at <> agreed.mined_at`
}

// One array per column, which is parsed three times as fast as rows of JSON. As one text, which Postgres splits faster
// than it parses an array.
const hashesOf = (sql: Sql, blocks: readonly Block[]) =>
  sql`string_to_array(${blocks.map(({ hash }) => hash).join(',')}, ',')`
// As seconds: formatting a date as text takes longer than everything else of a block.
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
  // As text: a JSON number cannot hold it.
  amount: String(log.amount),
})

type PaymentCount = { readonly payments: number }

const paymentCount = ([row]: readonly PaymentCount[]): number => row?.payments ?? 0
