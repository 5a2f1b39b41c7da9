import { unlessLocked } from '../../actors/command.ts'
import type { Services } from '../../actors/services.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Cursor } from '../chain-log.ts'
import type { Outage } from '../rpc/outage.ts'
import { isNodeError, RpcFault } from '../rpc/rpc.ts'
import type { Arrivals } from './arrivals.ts'
import { readHashes } from './coins/looks.ts'
import type { ChainSource } from './watched-chain.ts'

/** Payments ended at once. */
const MOST = 500

/**
 * Ends the windows that are over of payments that this chain is to pay: it has been read past their end, and they
 * know all that was read. An outage of the chain delays this and never invents an expiry, and keeps no payment of
 * another chain open; a chain whose clock is ahead ends nothing sooner than the database's. Money that comes on another
 * one than was picked is looked for before and after the end alike. Answers how many.
 */
export const endWindows = async (
  world: Services,
  chainId: number,
  { source, absence, aheadMs = 0 }: EndOptions = {},
): Promise<number> => {
  let count = 0
  let page: readonly OverByChain[] = []
  do {
    // Whoever is held back keeps nobody waiting who comes behind.
    page = await findOver(world.sql, chainId, { aheadMs, behind: page.at(-1) })
    count += await end(world, source ? await confirmed(world.sql, chainId, { source, absence }, page) : page)
  } while (page.length === MOST)
  return count
}

const findOver = async (
  sql: Sql,
  chainId: number,
  { aheadMs, behind }: { readonly aheadMs: number; readonly behind: OverByChain | undefined },
): Promise<readonly OverByChain[]> => {
  const scannedTo = sql`
    (select least(mined_at, now() + make_interval(secs => ${aheadMs / 1_000})) from chain_cursors where chain_id = ${chainId})`
  return sql<OverByChain[]>`
    select p.id, ${scannedTo} as scanned_to, p.expires_at, p.expires_at::text as place,
      case when token_address is null then '{}'
        else array(select address from deposit_addresses d where d.payment_id = p.id) end as addresses
    from payments p
    where chain_id = ${chainId} and state = 'pending'
      and expires_at < ${scannedTo}
      and not exists (
        select from unsettled_payments u
        where u.payment_id = p.id and u.reported_rev is distinct from p.rev)
      -- Seen and not final keeps a payment open.
      and amount_final = amount_received
      -- What contracts have sent by then shows in the balance alone (coins/look.ts).
      and (token_address is not null or exists (
        select from native_balances l
        where l.chain_id = p.chain_id and l.address = lower(p.address) and l.mined_at > p.expires_at))
      ${behind ? sql`and (expires_at, id) > (${behind.place}::text::timestamptz, ${behind.id})` : sql``}
    order by expires_at, id limit ${MOST}`
}

export type EndOptions = {
  /** Asked once more whether nothing has come. Without it the books alone count. */
  readonly source?: Confirming['source']
  /** Of the second of two nodes, which is waited for until it is long. Without it, it always is. */
  readonly absence?: Outage | undefined
  /** How far a chain's clock may be ahead and be believed: not at all, but in a test that will not wait. */
  readonly aheadMs?: number
}

type Confirming = {
  readonly source: Pick<ChainSource, 'reached' | 'arrivals'>
  readonly absence: Outage | undefined
}

/**
 * Those of which two nodes know nothing that the books lack: what the one that was read leaves out is found when its
 * block becomes final, and would be late by then. When a second node cannot be asked for long, the one counts. Coins
 * are looked for by two nodes as it is.
 */
const confirmed = async (
  sql: Sql,
  chainId: number,
  { source, absence }: Confirming,
  over: readonly OverByChain[],
): Promise<readonly OverByChain[]> => {
  const inTokens = over.flatMap(({ addresses }) => addresses)
  if (inTokens.length === 0) return over
  let told: Arrivals | undefined
  try {
    const books = await findBlockAt(sql, chainId, await source.reached())
    told = books && (await source.arrivals(Math.min(books.finalNumber + 1, books.number), books, inTokens))
    absence?.end()
  } catch (error) {
    if (!isNodeError(error)) throw error
    // It is away, or answers no such question. One that is only behind is waited for.
    const isBehind = error instanceof RpcFault && error.reason === 'behind'
    if (!isBehind && (absence?.isLong() ?? true)) return over
  }
  const paid = told && (await passedOver(sql, chainId, told, over))
  return over.filter(
    ({ addresses, expires_at: end }) =>
      addresses.length === 0 || (told && told.minedAt > end && !addresses.some(address => paid?.has(address))),
  )
}

/** The highest block of the books up to one. All that is final two nodes have agreed on. */
const findBlockAt = async (
  sql: Sql,
  chainId: number,
  upTo: number,
): Promise<(Cursor & { readonly finalNumber: number }) | undefined> => {
  const [row] = await sql<{ number: string; hash: string; final_number: string }[]>`
    select b.number, b.hash, c.final_number from chain_blocks b join chain_cursors c using (chain_id)
    where chain_id = ${chainId} and b.number <= ${upTo} order by b.number desc limit 1`
  return row && { number: Number(row.number), hash: row.hash, finalNumber: Number(row.final_number) }
}

/** To which addresses there is more in blocks of the books than these have. Of other blocks anything can be told. */
const passedOver = async (
  sql: Sql,
  chainId: number,
  { logs }: Arrivals,
  over: readonly Over[],
): Promise<ReadonlySet<string>> => {
  const [first] = logs
  if (!first) return new Set()
  const from = logs.reduce((lowest, { blockNumber }) => Math.min(lowest, blockNumber), first.blockNumber)
  const rows = await sql<{ place: string }[]>`
    select concat_ws(' ', block_hash, tx_hash, log_index) as place from transfers
    where payment_id = any(${over.map(({ id }) => id)}::uuid[]) and chain_id = ${chainId} and state <> 'orphaned'
      and block_number >= ${from}`
  const known = new Set(rows.map(({ place }) => place))
  const hashes = await readHashes(sql, chainId)
  const unread = logs.filter(
    ({ blockNumber, blockHash, txHash, logIndex }) =>
      hashes.get(blockNumber) === blockHash && !known.has(`${blockHash} ${txHash} ${logIndex}`),
  )
  return new Set(unread.map(({ to }) => to))
}

/**
 * Ends those of payments that have no asset yet: no chain has an address of theirs to be read for, so the clock
 * of the database decides. A pick of the last moment is let finish before that.
 */
export const endUnpicked = async (world: Services, lateMs = 2_000): Promise<number> => {
  const over = await world.sql<Over[]>`
    select id, now() as scanned_to from payments
    where chain_id is null and state = 'pending' and amount_final = amount_received
      and expires_at < now() - make_interval(secs => ${lateMs / 1_000})
    limit ${MOST}`
  return end(world, over)
}

type Over = { readonly id: string; readonly scanned_to: Date }

/** `addresses`: none where coins are awaited. `place`: the end to the microsecond, which a Date does not hold. */
type OverByChain = Over & {
  readonly expires_at: Date
  readonly place: string
  readonly addresses: readonly string[]
}

const end = async ({ actors }: Services, over: readonly Over[]): Promise<number> => {
  const outcomes = await Promise.all(
    over.map(({ id, scanned_to: scannedTo }) =>
      unlessLocked(
        actors.dispatch({ kind: 'payment', actor: id, event: { type: 'window_over', scannedTo }, cause: 'window' }),
      ),
    ),
  )
  return outcomes.filter(outcome => outcome?.ok).length
}
