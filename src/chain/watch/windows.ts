import { unlessLocked } from '../../actors/command.ts'
import type { Services } from '../../actors/services.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Cursor } from '../chain-log.ts'
import type { Outage } from '../rpc/outage.ts'
import { isNodeError, RpcFault } from '../rpc/rpc.ts'
import type { Arrivals } from './arrivals.ts'
import { readHashes } from './native/balance-records.ts'
import type { ChainSource } from './watched-chain.ts'

/** Payments in one page. */
const PAGE = 500

/**
 * Ends payment windows of one chain: of payments whose chain has been read past their end and which have all recorded
 * transfers applied. An outage of the chain delays the end and never causes an expiry, and does not affect payments on
 * other chains. A chain whose clock is ahead of the database's ends nothing earlier. Money on another chain than picked
 * is looked for before and after the end alike. Returns how many windows ended.
 */
export const endWindows = async (
  world: Services,
  chainId: number,
  { source, outage, aheadMs = 0 }: EndOptions = {},
): Promise<number> => {
  let count = 0
  let page: readonly EndedOnChain[] = []
  do {
    // A payment that cannot end does not hold up the following ones.
    page = await findEnded(world.sql, chainId, { aheadMs, after: page.at(-1) })
    count += await end(world, source ? await confirmUnpaid(world.sql, chainId, { source, outage }, page) : page)
  } while (page.length === PAGE)
  return count
}

const findEnded = async (
  sql: Sql,
  chainId: number,
  { aheadMs, after }: { readonly aheadMs: number; readonly after: EndedOnChain | undefined },
): Promise<readonly EndedOnChain[]> => {
  const scannedTo = sql`
    (select least(mined_at, now() + make_interval(secs => ${aheadMs / 1_000})) from chain_cursors where chain_id = ${chainId})`
  return sql<EndedOnChain[]>`
    select p.id, ${scannedTo} as scanned_to, p.expires_at, p.expires_at::text as place,
      case when token_address is null then '{}'
        else array(select address from deposit_addresses d where d.payment_id = p.id) end as addresses
    from payments p
    where chain_id = ${chainId} and state = 'pending'
      and expires_at < ${scannedTo}
      and not exists (
        select from unsettled_payments u
        where u.payment_id = p.id and u.reported_rev is distinct from p.rev)
      -- Money that is seen and not final keeps a payment open.
      and amount_final = amount_received
      -- What contracts have sent by then shows only in the balance (native/check-balances.ts).
      and (token_address is not null or exists (
        select from native_balances l
        where l.chain_id = p.chain_id and l.address = lower(p.address) and l.mined_at > p.expires_at))
      ${after ? sql`and (expires_at, id) > (${after.place}::text::timestamptz, ${after.id})` : sql``}
    order by expires_at, id limit ${PAGE}`
}

export type EndOptions = {
  /** The nodes are asked once more for transfers. Without it the recorded state decides. */
  readonly source?: Confirming['source']
  /** The outage of the second of two nodes, which is waited for until it is long. Without it, every outage is long. */
  readonly outage?: Outage | undefined
  /** How far the chain's clock may be ahead. 0 except in tests. */
  readonly aheadMs?: number
}

type Confirming = {
  readonly source: Pick<ChainSource, 'agreedHead' | 'arrivals'>
  readonly outage: Outage | undefined
}

/**
 * Returns the payments for which two nodes have no transfer that is not recorded. A transfer that the node that was
 * read leaves out is found when its block becomes final, and would then be late. When a second node is down for long,
 * one node is enough. For native currency, balances were compared by two nodes before.
 */
const confirmUnpaid = async (
  sql: Sql,
  chainId: number,
  { source, outage }: Confirming,
  over: readonly EndedOnChain[],
): Promise<readonly EndedOnChain[]> => {
  const inTokens = over.flatMap(({ addresses }) => addresses)
  if (inTokens.length === 0) return over
  let arrivals: Arrivals | undefined
  try {
    const block = await findBlockAt(sql, chainId, await source.agreedHead())
    arrivals = block && (await source.arrivals(Math.min(block.finalNumber + 1, block.number), block, inTokens))
    outage?.end()
  } catch (error) {
    if (!isNodeError(error)) throw error
    // The node is down or refuses the query. One that is only behind is waited for.
    const isBehind = error instanceof RpcFault && error.reason === 'behind'
    if (!isBehind && (outage?.isLong() ?? true)) return over
  }
  const paid = arrivals && (await unrecordedRecipients(sql, chainId, arrivals, over))
  return over.filter(
    ({ addresses, expires_at: end }) =>
      addresses.length === 0 || (arrivals && arrivals.minedAt > end && !addresses.some(address => paid?.has(address))),
  )
}

/** The highest recorded block up to a number. Two nodes have agreed on everything final. */
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

/** The addresses with unrecorded transfers in recorded blocks. A block that is not recorded may be invented by its node. */
const unrecordedRecipients = async (
  sql: Sql,
  chainId: number,
  { logs }: Arrivals,
  over: readonly EndedWindow[],
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
 * Ends windows of payments without an asset. No chain is read for them, so the database clock decides. A pick at the
 * last moment has two seconds to finish.
 */
export const endUnpicked = async (world: Services, lateMs = 2_000): Promise<number> => {
  const over = await world.sql<EndedWindow[]>`
    select id, now() as scanned_to from payments
    where chain_id is null and state = 'pending' and amount_final = amount_received
      and expires_at < now() - make_interval(secs => ${lateMs / 1_000})
    limit ${PAGE}`
  return end(world, over)
}

type EndedWindow = { readonly id: string; readonly scanned_to: Date }

/** `addresses`: empty for native currency. `place`: the end to the microsecond, which a Date does not hold. */
type EndedOnChain = EndedWindow & {
  readonly expires_at: Date
  readonly place: string
  readonly addresses: readonly string[]
}

const end = async ({ actors }: Services, over: readonly EndedWindow[]): Promise<number> => {
  const outcomes = await Promise.all(
    over.map(({ id, scanned_to: scannedTo }) =>
      unlessLocked(
        actors.dispatch({ kind: 'payment', actor: id, event: { type: 'window_over', scannedTo }, cause: 'window' }),
      ),
    ),
  )
  return outcomes.filter(outcome => outcome?.ok).length
}
