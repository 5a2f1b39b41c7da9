import type { Sql } from '../../postgres/connect.ts'
import { type Books, blocksUpTo, finalizeBlocks, findCursor, keepConfirmations, keepLivemode } from './books.ts'
import { agreedCoins } from './coins/finality.ts'
import type { ChainSource, WatchedChain } from './read.ts'

/**
 * Makes final what is deep enough and is read again, by two nodes where there are two. Answers whether they agree:
 * blocks that they do not agree on stay as they are, and whether those are still there is for the reader to see.
 */
export const finalizeNext = async (sql: Sql, chain: WatchedChain, source: ChainSource): Promise<boolean> => {
  const cursor = await findCursor(sql, chain.id)
  if (!cursor) return true
  if (cursor.confirmations !== chain.confirmations) await keepConfirmations(sql, chain.id, chain.confirmations)
  const { livemode } = chain
  if (livemode !== undefined && cursor.livemode !== livemode) await keepLivemode(sql, chain.id, livemode)
  const upTo = chain.saysFinal
    ? Math.min(cursor.number, await source.finalized())
    : cursor.number - chain.confirmations + 1
  return (await finalizeUpTo(sql, chain, source, { ...cursor, upTo })) !== undefined
}

/** Undefined while what is to become final is not agreed on. */
export const finalizeUpTo = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  cursor: Books & { readonly upTo: number },
): Promise<number | undefined> => {
  const { upTo } = cursor
  if (upTo <= cursor.finalNumber) return 0
  const blocks = await blocksUpTo(sql, chain.id, upTo)
  const logs = blocks.length > 0 ? await source.agreedTransfers(blocks) : undefined
  const coins = logs && (await agreedCoins(sql, chain.id, source.coins, upTo))
  return coins && finalizeBlocks(sql, chain.id, cursor, { upTo, logs: [...logs, ...coins] })
}
