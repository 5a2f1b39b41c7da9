import { lazy } from '../../lazy.ts'
import type { Log } from '../../log.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Cursor, TransferLog } from '../chain-log.ts'
import { isNodeError, mayBeTooLarge } from '../rpc/rpc.ts'
import { begin, beginAnew } from './begin.ts'
import { unlessUnanswered } from './beside.ts'
import {
  type Books,
  findCursor,
  keepConfirmations,
  keepLivemode,
  keepStopped,
  numbersOf,
  recordBlocks,
} from './books.ts'
import { catchUpFrom, findFinalRange } from './catch-up.ts'
import { areAwaited, coinsIn } from './coins/sent.ts'
import { finalizeUpTo } from './finalize.ts'
import { goBack, isReplaced } from './fork.ts'
import { TRANSFER } from './transfer-of.ts'
import type { ChainSource, WatchedChain, WatchedHeader } from './watched-chain.ts'

export type ReadOptions = {
  /** Blocks at once. */
  readonly most?: number
  /** So long it begins to read more of them: while some are written down the next ones are read. */
  readonly forMs?: number
  /** Receives the token transfers that are not credited. */
  readonly log?: Log
}

/**
 * What one step did: nothing new, blocks recorded, a fork found and gone back to, or other blocks found than the books
 * began with.
 */
export type ReadResult = 'idle' | 'recorded' | 'rewound' | 'begun anew'

/**
 * Reads the next blocks of a chain into the books, in their order and each by its parent, so that nothing is
 * skipped, however long the house was away. Safe to run in several processes: one of them is quicker.
 */
export const readNext = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  { most = 1_000, forMs = 250, log }: ReadOptions = {},
): Promise<ReadResult> => {
  const cursor = (await findCursor(sql, chain.id)) ?? (await begin(sql, chain, source))
  await keepAbout(sql, chain, cursor)
  // First the head and then everything else: what is asked for in between can only be newer.
  const { head, hash } = await source.look(cursor)
  if (hash !== cursor.hash) return leaveBlock(sql, chain, source, cursor, hash)
  if (cursor.stopped) await keepStopped(sql, chain.id, cursor, false)
  if (head <= cursor.number) return 'idle'
  const until = performance.now() + forMs
  const behind = await findFinalRange(sql, chain, source, cursor, head)
  // The books hold all blocks above the final one: those that were read become final before any is left out.
  if (behind && (await finalizeUpTo(sql, chain, source, { ...cursor, upTo: cursor.number }, log)) !== undefined) {
    await catchUpFrom(sql, chain, source, { from: cursor, first: behind, head, until, log })
    return 'recorded'
  }

  const coins = lazy(() => areAwaited(sql, chain.id))
  // Near the head, a block that was mined since may have taken the place of one that was not read yet.
  const awaited = (to: number) => (to > head - chain.confirmations ? areAwaited(sql, chain.id) : coins())
  let from: Cursor = cursor
  let recording: Promise<unknown> = Promise.resolve()
  do {
    const first = from.number + 1
    const to = source.stride.upTo(first, Math.min(head, from.number + most))
    const part = await readPart(sql, chain, source, { from, to, awaited }).catch(error => {
      if (mayBeTooLarge(error)) source.stride.refused(first, to)
      // What was read before it is worth a step of its own.
      if (from === cursor || !isNodeError(error)) throw error
      return undefined
    })
    await recording
    const last = part?.blocks.at(-1)
    if (!part || !last) break
    source.stride.went(first, to)
    recording = recordBlocks(sql, chain.id, from, { ...part, byAll: source.isAlone })
    // Whoever waits for it hears of it.
    recording.catch(() => {})
    from = last
  } while (from.number < head && performance.now() < until)
  await recording
  return from === cursor ? 'idle' : 'recorded'
}

/** What is done where the nodes have another block at the cursor, or none: then they are behind it as a rule. */
const leaveBlock = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  cursor: Books,
  hash: string | undefined,
): Promise<ReadResult> => {
  const reached = lazy(() => unlessUnanswered(source.reached()))
  const isBehind = hash === undefined && !(await isReplaced(sql, chain.id, source, cursor, await reached()))
  const isOther = !isBehind || ((await reached()) ?? cursor.number) < cursor.begunNumber
  if (isOther && (await beginAnew(sql, chain, source, cursor, reached))) return 'begun anew'
  if (isBehind) return 'idle'
  await goBack(sql, chain, source, cursor)
  return 'rewound'
}

/** What payments are told by: before anything of the chain is read. */
const keepAbout = async (sql: Sql, { id, confirmations, livemode }: WatchedChain, books: Books): Promise<void> => {
  if (books.confirmations !== confirmations) await keepConfirmations(sql, id, confirmations)
  if (livemode !== undefined && books.livemode !== livemode) await keepLivemode(sql, id, livemode)
}

type ReadPart = { readonly blocks: readonly WatchedHeader[]; readonly logs: readonly TransferLog[] }

/** The blocks that follow one, as far as they stand on it and what they hold can be vouched for. */
const readPart = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  { from, to, awaited }: { readonly from: Cursor; readonly to: number; awaited(to: number): Promise<boolean> },
): Promise<ReadPart | undefined> => {
  const blocks = chained(from, await source.headers(numbersOf(from.number + 1, to)))
  const last = blocks.at(-1)
  // The chain has changed since its block was compared: the next step finds the fork.
  if (!last) return undefined
  const [told, areCoinsAwaited] = await Promise.all([source.transfers(from.number + 1, last.number), awaited(to)])
  // The chain has changed meanwhile, or a node tells them of blocks that are not there: then two others may agree.
  const logs = areIn(blocks, told) ? told : await source.agreedTransfers(blocks)
  const read = logs && (await vouchedFor(chain, source, blocks, logs))
  const coins = read && (areCoinsAwaited ? await coinsIn(sql, chain.id, source.coins, blocks) : [])
  return coins && { blocks, logs: [...read, ...coins] }
}

/** As far as each stands on the one before. */
const chained = (cursor: Cursor, headers: readonly (WatchedHeader | undefined)[]): WatchedHeader[] => {
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
 * The logs of these blocks, if none is missing: a node that lags or truncates answers
 * with fewer and no error. A block whose bloom promises what was not told is asked for by its hash.
 */
const vouchedFor = async (
  { tokens }: WatchedChain,
  source: ChainSource,
  blocks: readonly WatchedHeader[],
  logs: readonly TransferLog[],
): Promise<readonly TransferLog[] | undefined> => {
  const told = Map.groupBy(logs, ({ blockHash }) => blockHash)
  const vouched: TransferLog[] = []
  for (const block of blocks) {
    const found = told.get(block.hash) ?? []
    const promised = tokens.some(token => block.mayHold(token, TRANSFER) && !found.some(log => log.token === token))
    const all = promised ? await source.transfersIn(block.hash) : found
    if (!all) return undefined
    for (const each of all) vouched.push(each)
  }
  return vouched
}
