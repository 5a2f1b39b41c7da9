import type { Log } from '../../log.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Block, Cursor, TransferLog } from '../chain-log.ts'
import { isNodeError } from '../rpc/rpc.ts'
import { blocksOf, numbersOf, oursAmong, recordFinalRange } from './books.ts'
import { areAwaited } from './coins/sent.ts'
import { creditedOf, logUncredited, type Uncredited, unprovenAmong } from './credited.ts'
import type { FinalRange } from './ranges.ts'
import { TRANSFER } from './transfer-of.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

/** So many final blocks behind the cursor are worth a range of their own. */
const FAR = 200

/**
 * After an outage: blocks that are final already, those with transfers of ours and the last one, read by two nodes
 * alike. Of all the others no header is asked for: a range of a thousand blocks is two questions instead of a
 * thousand. Undefined where blocks have to be read one by one.
 */
export const findFinalRange = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  cursor: Cursor,
  head: number,
): Promise<Behind | undefined> => {
  if (head - cursor.number < FAR) return undefined
  // That nobody tells what is final shows where blocks become it.
  const final = chain.saysFinal ? await source.finalized().catch(() => 0) : head - chain.confirmations + 1
  if (final - cursor.number < FAR) return undefined
  // Transactions that carry coins stand in whole blocks alone.
  if (await areAwaited(sql, chain.id)) return undefined
  const by = chain.saysFinal ? 'finalized' : chain
  const range = await source.finalRange(cursor, final, by)
  if (!range) return undefined

  const ofOurs = async () => {
    // The logs first and the addresses then: whoever was given one meanwhile has not paid in these blocks.
    const credited = await creditedOf(sql, chain, source, await oursAmong(sql, range.logs))
    if (!credited) return undefined
    const { logs, uncredited } = credited
    const blocks = await source.agreedBlocks(blocksOf(logs).filter(({ hash }) => hash !== range.end.hash))
    return blocks && { end: range.end, blocks: [...blocks, range.end], logs, uncredited }
  }
  const [found, isCut] = await Promise.all([
    ofOurs(),
    range.alone && leavesOut(chain, source, silenceOf(cursor, range)),
  ])
  if (!isCut) return found
  source.doubt(cursor, range)
  return undefined
}

/** Writes ranges down, the first one and those that follow: while one is written the next is asked for. */
export const catchUpFrom = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  { from, first, head, until, log }: Catching,
): Promise<void> => {
  let at = from
  for (let range: Behind | undefined = first; range; ) {
    const { uncredited } = range
    const recording = recordFinalRange(sql, chain.id, at, { ...range, unproven: unprovenAmong(uncredited) })
    at = range.end
    const next = performance.now() < until ? findFinalRange(sql, chain, source, at, head) : undefined
    // Whoever waits for it hears of it, when nothing is being written any more.
    next?.catch(() => {})
    await recording
    logUncredited(log, chain.id, { uncredited })
    range = await next
  }
}

type Catching = {
  readonly from: Cursor
  readonly first: Behind
  readonly head: number
  readonly until: number
  readonly log?: Log | undefined
}

/** Blocks of which those with transfers of ours are told, and the last one. */
type Behind = {
  readonly end: Block
  readonly blocks: readonly Block[]
  readonly logs: readonly TransferLog[]
  readonly uncredited: readonly Uncredited[]
}

/** The blocks before the first transfer that was told and behind the last: all of them where none was told. */
const silenceOf = (from: Cursor, { end, logs }: FinalRange): readonly number[] => {
  const first = logs.at(0)?.blockNumber ?? end.number + 1
  const last = logs.at(-1)?.blockNumber ?? end.number
  return [...numbersOf(from.number + 1, first - 1), ...numbersOf(last + 1, end.number)]
}

/**
 * Whether there are transfers in blocks of which none was told. A node that lacks the logs of a range, or cuts its
 * answer off, says so in no way, and where it is the only one nobody else does; but the blooms of its headers do.
 */
const leavesOut = async (
  { tokens }: WatchedChain,
  source: ChainSource,
  silent: readonly number[],
): Promise<boolean> => {
  try {
    for (const header of await source.headers(silent)) {
      if (!header) return true
      if (!tokens.some(token => header.mayHold(token, TRANSFER))) continue
      if ((await source.transfersIn(header.hash))?.length !== 0) return true
    }
    return false
  } catch (error) {
    // Block by block less is asked for at once.
    if (isNodeError(error)) return true
    throw error
  }
}
