import type { Log } from '../../log.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { TransferLog } from '../chain-log.ts'
import {
  type Books,
  blocksOf,
  blocksUpTo,
  correctTimes,
  finalizeBlocks,
  findCursor,
  notFoundAgain,
  oursAmong,
} from './books.ts'
import { agreedCoins } from './coins/finality.ts'
import { type Credited, creditedOf, logUncredited, unprovenAmong } from './credited.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

/**
 * Makes final what is deep enough and is read again, by two nodes where there are two. Answers whether they agree:
 * blocks that they do not agree on stay as they are, and whether those are still there is for the reader to see.
 */
export const finalizeNext = async (sql: Sql, chain: WatchedChain, source: ChainSource, log?: Log): Promise<boolean> => {
  const cursor = await findCursor(sql, chain.id)
  if (!cursor) return true
  const upTo = chain.saysFinal ? Math.min(cursor.number, await source.finalized()) : await deepIn(chain, source, cursor)
  return (await finalizeUpTo(sql, chain, source, { ...cursor, upTo }, log)) !== undefined
}

/** Undefined while what is to become final is not agreed on. */
export const finalizeUpTo = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  cursor: Books & { readonly upTo: number },
  log?: Log,
): Promise<number | undefined> => {
  const { upTo } = cursor
  if (upTo <= cursor.finalNumber) return 0
  const blocks = await blocksUpTo(sql, chain.id, upTo)
  const told = blocks.length > 0 ? await source.agreedTransfers(blocks) : undefined
  const credited = told && (await creditedOf(sql, chain, source, told))
  if (!credited || !(await agreeOnTimes(sql, chain.id, source, credited.logs))) return undefined
  const coins = await agreedCoins(sql, chain.id, source.coins, upTo)
  if (!coins) return undefined
  const write = async ({ logs, uncredited }: Credited, askedAgain: readonly string[] = []) => {
    const unproven = unprovenAmong(uncredited)
    const written = { upTo, logs: [...logs, ...coins], unproven, askedAgain }
    const payments = await finalizeBlocks(sql, chain.id, cursor, written)
    logUncredited(log, chain.id, { uncredited })
    return payments
  }
  try {
    return await write(credited)
  } catch (error) {
    const askedAgain = notFoundAgain(error)
    if (!askedAgain) throw error
    const again = await askAgain(source, told, askedAgain)
    const creditedAgain = again && (await creditedOf(sql, chain, source, again))
    return creditedAgain && write(creditedAgain, askedAgain)
  }
}

/** Up to where blocks lie so deep that two nodes say so: the one that is read may name any number of blocks that are not there. */
const deepIn = async ({ confirmations }: WatchedChain, source: ChainSource, cursor: Books): Promise<number> => {
  const upTo = cursor.number - confirmations + 1
  return upTo <= cursor.finalNumber ? upTo : Math.min(cursor.number, await source.reached()) - confirmations + 1
}

/** Whether money came in time hangs on when its block was mined, which one node alone has told so far. */
const agreeOnTimes = async (
  sql: Sql,
  chainId: number,
  source: ChainSource,
  logs: readonly TransferLog[],
): Promise<boolean> => {
  const places = blocksOf(await oursAmong(sql, logs))
  if (places.length === 0) return true
  const blocks = await source.agreedBlocks(places)
  if (!blocks) return false
  await correctTimes(sql, chainId, blocks)
  return true
}

/** The logs, with those of these blocks as they are told of each by itself: of a range some node leaves out what it knows. */
const askAgain = async (
  source: ChainSource,
  logs: readonly TransferLog[],
  hashes: readonly string[],
): Promise<readonly TransferLog[] | undefined> => {
  const told = logs.filter(({ blockHash }) => !hashes.includes(blockHash))
  for (const hash of hashes) {
    const again = await source.agreedTransfersIn(hash)
    if (!again) return undefined
    told.push(...again)
  }
  return told
}
