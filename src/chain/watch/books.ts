import type { Sql } from '../../postgres/connect.ts'

/** How far a chain has been read. Whoever writes names the block it went on from, and is refused when that is not it. */
export type Cursor = { readonly number: number; readonly hash: string }

export type Block = { readonly number: number; readonly hash: string; readonly minedAt: Date }

/** A transfer of a token to whomever, as a log tells it. */
export type TransferLog = {
  readonly txHash: string
  readonly logIndex: number
  readonly blockNumber: number
  readonly blockHash: string
  readonly token: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

export type TransferName = Pick<TransferLog, 'blockHash' | 'txHash' | 'logIndex'>

/** Another process was quicker, or the books were put back to an older day: read the cursor, and go on from there. */
export const isMovedCursor = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'PM002'

export const findCursor = async (
  sql: Sql,
  chainId: number,
): Promise<(Cursor & { readonly finalNumber: number }) | undefined> => {
  const [row] = await sql<{ number: string; hash: string; final_number: string }[]>`
    select number, hash, final_number from chain_cursors where chain_id = ${chainId}`
  return row && { number: Number(row.number), hash: row.hash, finalNumber: Number(row.final_number) }
}

/** Begins a chain's books at a block; when they have begun already, nothing changes. */
export const beginBooks = async (sql: Sql, chainId: number, { number, hash, minedAt }: Block): Promise<void> => {
  await sql`
    with begun as (
      insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step)
      values (${chainId}, ${number}, ${hash}, ${minedAt}, ${number}, 1)
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

/** Answers how many payments are concerned. */
export const recordBlocks = async (
  sql: Sql,
  chainId: number,
  from: Cursor,
  { blocks, logs }: { readonly blocks: readonly Block[]; readonly logs: readonly TransferLog[] },
): Promise<number> => {
  const blockRows = blocks.map(({ number, hash, minedAt }) => ({ number, hash, mined_at: minedAt }))
  const logRows = logs.map(log => ({
    tx_hash: log.txHash,
    log_index: log.logIndex,
    block_number: log.blockNumber,
    block_hash: log.blockHash,
    token_address: log.token,
    from_address: log.from,
    to_address: log.to,
    // As text: a number of JSON could not hold it.
    amount: String(log.amount),
  }))
  return concerned(
    await sql<Concerned[]>`
      select record_blocks(${chainId}, ${from.number}, ${from.hash},
        ${JSON.stringify(blockRows)}::text::json, ${JSON.stringify(logRows)}::text::json) as payments`,
  )
}

export const rewindBlocks = async (sql: Sql, chainId: number, from: Cursor, to: number): Promise<number> =>
  concerned(
    await sql<Concerned[]>`
      select rewind_blocks(${chainId}, ${from.number}, ${from.hash}, ${to}) as payments`,
  )

/** The blocks up to this one that hold transfers nobody has read a second time. */
export const blocksToReread = async (sql: Sql, chainId: number, upTo: number): Promise<Cursor[]> =>
  (
    await sql<{ number: string; hash: string }[]>`
      select distinct block_number as number, block_hash as hash from transfers
      where chain_id = ${chainId} and block_number <= ${upTo} and state = 'seen' order by number`
  ).map(({ number, hash }) => ({ number: Number(number), hash }))

export const transfersOfBlock = (sql: Sql, chainId: number, { hash }: Cursor): Promise<BookedTransfer[]> => sql<
  BookedTransfer[]
>`
  select t.block_hash as "blockHash", t.tx_hash as "txHash", t.log_index as "logIndex", t.token_address as token,
    t.amount, d.address as to
  from transfers t join deposit_addresses d using (payment_id)
  where t.chain_id = ${chainId} and t.block_hash = ${hash} and t.state = 'seen'`

/** `amount` as the database spells it. */
export type BookedTransfer = TransferName & {
  readonly token: string | null
  readonly amount: string
  readonly to: string
}

type Finality = {
  readonly upTo: number
  readonly confirmed: readonly TransferName[]
  /** Not there when they were looked for again. */
  readonly denied: readonly TransferName[]
}

export const finalizeBlocks = async (
  sql: Sql,
  chainId: number,
  at: Cursor,
  { upTo, confirmed, denied }: Finality,
): Promise<number> =>
  concerned(
    await sql<Concerned[]>`
      select finalize_blocks(${chainId}, ${at.number}, ${at.hash}, ${upTo},
        ${namesOf(confirmed)}::text::json, ${namesOf(denied)}::text::json) as payments`,
  )

const namesOf = (transfers: readonly TransferName[]): string =>
  JSON.stringify(
    transfers.map(({ blockHash, txHash, logIndex }) => ({
      block_hash: blockHash,
      tx_hash: txHash,
      log_index: logIndex,
    })),
  )

type Concerned = { readonly payments: number }

const concerned = ([row]: readonly Concerned[]): number => row?.payments ?? 0
