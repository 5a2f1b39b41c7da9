import type { Log } from '../../log.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { TransferLog } from '../chain-log.ts'
import {
  blocksOf,
  blocksUpTo,
  type ChainState,
  correctTimes,
  finalizeBlocks,
  findCursor,
  notFoundAgain,
  transfersToUs,
} from './chain-state.ts'
import { type Credited, creditedOf, logUncredited, unprovenAmong } from './credited.ts'
import { agreedNativeTransfers } from './native/finality.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

/**
 * Makes blocks final that are deep enough and were read again, by two nodes where there are two. Returns whether the
 * nodes agree. Blocks on which they do not agree stay as they are; the reader finds out whether they are still on the
 * chain.
 */
export const finalizeNext = async (sql: Sql, chain: WatchedChain, source: ChainSource, log?: Log): Promise<boolean> => {
  const cursor = await findCursor(sql, chain.id)
  if (!cursor) return true
  const upTo = chain.hasFinalizedTag
    ? Math.min(cursor.number, await source.finalized())
    : await deepestFinal(chain, source, cursor)
  return (await finalizeUpTo(sql, chain, source, { ...cursor, upTo }, log)) !== undefined
}

/** Undefined while the nodes do not agree on what becomes final. */
export const finalizeUpTo = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  cursor: ChainState & { readonly upTo: number },
  log?: Log,
): Promise<number | undefined> => {
  const { upTo } = cursor
  if (upTo <= cursor.finalNumber) return 0
  const blocks = await blocksUpTo(sql, chain.id, upTo)
  const reported = blocks.length > 0 ? await source.agreedTransfers(blocks) : undefined
  const credited = reported && (await creditedOf(sql, chain, source, reported))
  if (!credited || !(await agreeOnTimes(sql, chain.id, source, credited.logs))) return undefined
  const native = await agreedNativeTransfers(sql, chain.id, source.native, upTo)
  if (!native) return undefined
  const write = async ({ logs, uncredited }: Credited, askedAgain: readonly string[] = []) => {
    const unproven = unprovenAmong(uncredited)
    const written = { upTo, logs: [...logs, ...native], unproven, askedAgain }
    const payments = await finalizeBlocks(sql, chain.id, cursor, written)
    logUncredited(log, chain.id, { uncredited })
    return payments
  }
  try {
    return await write(credited)
  } catch (error) {
    const askedAgain = notFoundAgain(error)
    if (!askedAgain) throw error
    const again = await readBlocksAgain(source, reported, askedAgain)
    const creditedAgain = again && (await creditedOf(sql, chain, source, again))
    return creditedAgain && write(creditedAgain, askedAgain)
  }
}

/** The highest block with enough confirmations, as two nodes report: the node that is read may invent blocks. */
const deepestFinal = async (
  { confirmations }: WatchedChain,
  source: ChainSource,
  cursor: ChainState,
): Promise<number> => {
  const upTo = cursor.number - confirmations + 1
  return upTo <= cursor.finalNumber ? upTo : Math.min(cursor.number, await source.agreedHead()) - confirmations + 1
}

/** Corrects block times. They decide whether money was in time, and one node alone has reported them so far. */
const agreeOnTimes = async (
  sql: Sql,
  chainId: number,
  source: ChainSource,
  logs: readonly TransferLog[],
): Promise<boolean> => {
  const places = blocksOf(await transfersToUs(sql, logs))
  if (places.length === 0) return true
  const blocks = await source.agreedBlocks(places)
  if (!blocks) return false
  await correctTimes(sql, chainId, blocks)
  return true
}

/** Reads the logs of these blocks again, one by one: for a range, some nodes leave out logs that they have. */
const readBlocksAgain = async (
  source: ChainSource,
  logs: readonly TransferLog[],
  hashes: readonly string[],
): Promise<readonly TransferLog[] | undefined> => {
  const reread = logs.filter(({ blockHash }) => !hashes.includes(blockHash))
  for (const hash of hashes) {
    const again = await source.agreedTransfersIn(hash)
    if (!again) return undefined
    reread.push(...again)
  }
  return reread
}
