import { lazy } from '../../lazy.ts'
import type { Log } from '../../log.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Cursor, TransferLog } from '../chain-log.ts'
import { isNodeError, mayBeTooLarge } from '../rpc/rpc.ts'
import { catchUpFrom, findFinalRange } from './catch-up.ts'
import { unlessUnanswered } from './chain-loops.ts'
import {
  blockNumbers,
  type ChainState,
  findCursor,
  recordBlocks,
  storeConfirmations,
  storeLivemode,
  storeStopped,
} from './chain-state.ts'
import { finalizeUpTo } from './finalize.ts'
import { isCursorReplaced, rewindToFork } from './fork.ts'
import { isNativeAwaited, nativeTransfersIn } from './native/transfers.ts'
import { restartReading, startReading } from './start-reading.ts'
import { TRANSFER } from './transfer-log.ts'
import type { ChainSource, WatchedChain, WatchedHeader } from './watched-chain.ts'

export type ReadOptions = {
  /** Blocks in one step. */
  readonly most?: number
  /** Further blocks are requested for so long while the previous ones are recorded. */
  readonly forMs?: number
  /** Logs the token transfers that are not credited. */
  readonly log?: Log
}

/** The result of one step: no new block, blocks recorded, rewound to a fork, or reading restarted. */
export type ReadResult = 'idle' | 'recorded' | 'rewound' | 'restarted'

/**
 * Reads and records the next blocks of a chain, in order, each checked against its parent hash, so that no block is
 * skipped however long the server was down. Safe to run in several processes: one of them is faster, the others do
 * nothing.
 */
export const readNext = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  { most = 1_000, forMs = 250, log }: ReadOptions = {},
): Promise<ReadResult> => {
  const cursor = (await findCursor(sql, chain.id)) ?? (await startReading(sql, chain, source))
  await storeSettings(sql, chain, cursor)
  // The head is read first: everything read later can only be newer.
  const { head, hash } = await source.headAndBlock(cursor)
  if (hash !== cursor.hash) return handleOtherBlock(sql, chain, source, cursor, hash)
  if (cursor.stopped) await storeStopped(sql, chain.id, cursor, false)
  if (head <= cursor.number) return 'idle'
  const until = performance.now() + forMs
  const range = await findFinalRange(sql, chain, source, cursor, head)
  // Every block between the final block and the cursor is recorded, so these blocks become final before the range skips
  // any.
  if (range && (await finalizeUpTo(sql, chain, source, { ...cursor, upTo: cursor.number }, log)) !== undefined) {
    await catchUpFrom(sql, chain, source, { from: cursor, first: range, head, until, log })
    return 'recorded'
  }

  const isAwaitedBelow = lazy(() => isNativeAwaited(sql, chain.id))
  // Near the head, a block may have been replaced by one that was mined since.
  const awaited = (to: number) => (to > head - chain.confirmations ? isNativeAwaited(sql, chain.id) : isAwaitedBelow())
  let from: Cursor = cursor
  let recording: Promise<unknown> = Promise.resolve()
  do {
    const first = from.number + 1
    const to = source.rangeSizer.endOf(first, Math.min(head, from.number + most))
    const part = await readPart(sql, chain, source, { from, to, awaited }).catch(error => {
      if (mayBeTooLarge(error)) source.rangeSizer.refused(first, to)
      // The parts read before the failure are recorded in a step of their own.
      if (from === cursor || !isNodeError(error)) throw error
      return undefined
    })
    await recording
    const last = part?.blocks.at(-1)
    if (!part || !last) break
    source.rangeSizer.succeeded(first, to)
    recording = recordBlocks(sql, chain.id, from, { ...part, byAll: source.hasSingleNode })
    // Its error is thrown where it is awaited.
    recording.catch(() => {})
    from = last
  } while (from.number < head && performance.now() < until)
  await recording
  return from === cursor ? 'idle' : 'recorded'
}

/** Handles a cursor whose block the nodes do not have: usually they are behind it. */
const handleOtherBlock = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  cursor: ChainState,
  hash: string | undefined,
): Promise<ReadResult> => {
  const reached = lazy(() => unlessUnanswered(source.agreedHead()))
  const isBehind = hash === undefined && !(await isCursorReplaced(sql, chain.id, source, cursor, await reached()))
  const isOther = !isBehind || ((await reached()) ?? cursor.number) < cursor.begunNumber
  if (isOther && (await restartReading(sql, chain, source, cursor, reached))) return 'restarted'
  if (isBehind) return 'idle'
  await rewindToFork(sql, chain, source, cursor)
  return 'rewound'
}

/** Stores the settings that payments are decided by, before any block is read. */
const storeSettings = async (
  sql: Sql,
  { id, confirmations, livemode }: WatchedChain,
  state: ChainState,
): Promise<void> => {
  if (state.confirmations !== confirmations) await storeConfirmations(sql, id, confirmations)
  if (livemode !== undefined && state.livemode !== livemode) await storeLivemode(sql, id, livemode)
}

type ReadPart = { readonly blocks: readonly WatchedHeader[]; readonly logs: readonly TransferLog[] }

/** Reads the next blocks, as far as they follow each other and their transfers are complete. */
const readPart = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  { from, to, awaited }: { readonly from: Cursor; readonly to: number; awaited(to: number): Promise<boolean> },
): Promise<ReadPart | undefined> => {
  const blocks = chainedHeaders(from, await source.headers(blockNumbers(from.number + 1, to)))
  const last = blocks.at(-1)
  // The chain has changed since the cursor was compared: the next step finds the fork.
  if (!last) return undefined
  const [reported, readsNative] = await Promise.all([source.transfers(from.number + 1, last.number), awaited(to)])
  // The chain has changed meanwhile, or a node reports logs of blocks that are not there: two other nodes may agree.
  const logs = areIn(blocks, reported) ? reported : await source.agreedTransfers(blocks)
  const read = logs && (await completedLogs(chain, source, blocks, logs))
  const native = read && (readsNative ? await nativeTransfersIn(sql, chain.id, source.native, blocks) : [])
  return native && { blocks, logs: [...read, ...native] }
}

/** The headers, as far as each follows its predecessor. */
const chainedHeaders = (cursor: Cursor, headers: readonly (WatchedHeader | undefined)[]): WatchedHeader[] => {
  const blocks: WatchedHeader[] = []
  let parent = cursor
  for (const header of headers) {
    if (!header || header.parentHash !== parent.hash || header.number !== parent.number + 1) break
    blocks.push(header)
    parent = header
  }
  return blocks
}

const areIn = (blocks: readonly WatchedHeader[], logs: readonly TransferLog[]): boolean => {
  const first = blocks[0]?.number ?? 0
  return logs.every(({ blockNumber, blockHash }) => blocks[blockNumber - first]?.hash === blockHash)
}

/**
 * The logs of these blocks, if none is missing. A node that is behind or truncates returns fewer logs and no error, so
 * a block whose bloom announces a log that was not reported is requested by its hash.
 */
const completedLogs = async (
  { tokens }: WatchedChain,
  source: ChainSource,
  blocks: readonly WatchedHeader[],
  logs: readonly TransferLog[],
): Promise<readonly TransferLog[] | undefined> => {
  const byBlock = Map.groupBy(logs, ({ blockHash }) => blockHash)
  const complete: TransferLog[] = []
  for (const block of blocks) {
    const found = byBlock.get(block.hash) ?? []
    const isMissing = tokens.some(token => block.mayHaveLog(token, TRANSFER) && !found.some(log => log.token === token))
    const all = isMissing ? await source.transfersIn(block.hash) : found
    if (!all) return undefined
    for (const each of all) complete.push(each)
  }
  return complete
}
