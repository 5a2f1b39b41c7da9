import type { Log } from '../../log.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Block, Cursor, TransferLog } from '../chain-log.ts'
import { isNodeError } from '../rpc/rpc.ts'
import { blockNumbers, blocksOf, recordFinalRange, transfersToUs } from './chain-state.ts'
import { creditedOf, logUncredited, type Uncredited, unprovenAmong } from './credited.ts'
import { isNativeAwaited } from './native/transfers.ts'
import type { FinalRange } from './ranges.ts'
import { TRANSFER } from './transfer-log.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

/** From so many final blocks after the cursor on, they are read as a range. */
const RANGE_FROM = 200

/**
 * After an outage: reads final blocks as two nodes agree on them, and returns those with transfers to our addresses and
 * the last one. Headers of blocks without such transfers are not requested: a range of a thousand blocks takes two
 * requests instead of a thousand. Undefined where blocks have to be read one by one.
 */
export const findFinalRange = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  cursor: Cursor,
  head: number,
): Promise<FinalBlocks | undefined> => {
  if (head - cursor.number < RANGE_FROM) return undefined
  // An error is handled where blocks become final.
  const final = chain.hasFinalizedTag ? await source.finalized().catch(() => 0) : head - chain.confirmations + 1
  if (final - cursor.number < RANGE_FROM) return undefined
  // Transactions with native currency are found only in full blocks.
  if (await isNativeAwaited(sql, chain.id)) return undefined
  const by = chain.hasFinalizedTag ? 'finalized' : chain
  const range = await source.finalRange(cursor, final, by)
  if (!range) return undefined

  const findOurs = async () => {
    // The logs are read before the addresses: an address issued in between cannot have been paid in these blocks.
    const credited = await creditedOf(sql, chain, source, await transfersToUs(sql, range.logs))
    if (!credited) return undefined
    const { logs, uncredited } = credited
    const blocks = await source.agreedBlocks(blocksOf(logs).filter(({ hash }) => hash !== range.end.hash))
    return blocks && { end: range.end, blocks: [...blocks, range.end], logs, uncredited }
  }
  const [found, isPartial] = await Promise.all([
    findOurs(),
    range.isSingleNode && isIncomplete(chain, source, blocksWithoutLogs(cursor, range)),
  ])
  if (!isPartial) return found
  source.rejectRange(cursor, range)
  return undefined
}

/** Records the first range and those that follow, and requests the next one while one is recorded. */
export const catchUpFrom = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  { from, first, head, until, log }: CatchUpOptions,
): Promise<void> => {
  let at = from
  for (let range: FinalBlocks | undefined = first; range; ) {
    const { uncredited } = range
    const recording = recordFinalRange(sql, chain.id, at, { ...range, unproven: unprovenAmong(uncredited) })
    at = range.end
    const next = performance.now() < until ? findFinalRange(sql, chain, source, at, head) : undefined
    // Its error is thrown where it is awaited, after the recording.
    next?.catch(() => {})
    await recording
    logUncredited(log, chain.id, { uncredited })
    range = await next
  }
}

type CatchUpOptions = {
  readonly from: Cursor
  readonly first: FinalBlocks
  readonly head: number
  readonly until: number
  readonly log?: Log | undefined
}

/** A final range: its blocks with transfers to our addresses, and its last block. */
type FinalBlocks = {
  readonly end: Block
  readonly blocks: readonly Block[]
  readonly logs: readonly TransferLog[]
  readonly uncredited: readonly Uncredited[]
}

/** The blocks before the first and after the last reported transfer; all blocks where none was reported. */
const blocksWithoutLogs = (from: Cursor, { end, logs }: FinalRange): readonly number[] => {
  const first = logs.at(0)?.blockNumber ?? end.number + 1
  const last = logs.at(-1)?.blockNumber ?? end.number
  return [...blockNumbers(from.number + 1, first - 1), ...blockNumbers(last + 1, end.number)]
}

/**
 * Whether blocks without a reported transfer contain one. A node that lacks logs of a range, or truncates its answer,
 * gives no error, and where it is the only node, only the blooms of its headers show it.
 */
const isIncomplete = async (
  { tokens }: WatchedChain,
  source: ChainSource,
  numbers: readonly number[],
): Promise<boolean> => {
  try {
    for (const header of await source.headers(numbers)) {
      if (!header) return true
      if (!tokens.some(token => header.mayHaveLog(token, TRANSFER))) continue
      if ((await source.transfersIn(header.hash))?.length !== 0) return true
    }
    return false
  } catch (error) {
    // Reading block by block takes smaller requests.
    if (isNodeError(error)) return true
    throw error
  }
}
