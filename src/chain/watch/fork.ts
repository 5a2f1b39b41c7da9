import type { Sql } from '../../postgres/connect.ts'
import type { Cursor } from '../chain-log.ts'
import { unlessUnanswered } from './beside.ts'
import { keepStopped, recentBlocks, rewindBlocks } from './books.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

/** Back to the highest block of the books that the chain still has. */
export const goBack = async (sql: Sql, chain: WatchedChain, source: ChainSource, cursor: Cursor): Promise<void> => {
  const fork = await findFork(sql, chain, source)
  if (fork) return void (await rewindBlocks(sql, chain.id, cursor, fork.number))
  if (await isOneNodesWord(sql, chain, source)) return
  await keepStopped(sql, chain.id, cursor, true)
  throw new DeepReorganization(chain.id)
}

/**
 * Whether two nodes that have not got to the cursor have another block than the books at their head: one node alone had
 * invented what is above. Nodes that are only behind have the same block there.
 */
export const isReplaced = async (
  sql: Sql,
  chainId: number,
  source: Pick<ChainSource, 'agreedBlock'>,
  cursor: Cursor,
  reached: number | undefined,
): Promise<boolean> => {
  if (reached === undefined || reached >= cursor.number) return false
  const known = (await recentBlocks(sql, chainId)).find(({ number }) => number === reached)
  const now = known && (await unlessUnanswered(source.agreedBlock(reached)))
  return now !== undefined && now.hash !== known?.hash
}

/** Where two others have the final block as the books have it, one node speaks of another chain, and is left for them. */
const isOneNodesWord = async (sql: Sql, chain: WatchedChain, source: ChainSource): Promise<boolean> => {
  const final = (await recentBlocks(sql, chain.id)).at(-1)
  if (!final || !(await source.agreedBlocks([final]))) return false
  await source.shun(final)
  return true
}

/** The highest block of the books that the chain still has: where the others part. */
export const findFork = async (sql: Sql, chain: WatchedChain, source: ChainSource): Promise<Cursor | undefined> => {
  const known = await recentBlocks(sql, chain.id)
  for (let from = 0; from < known.length; from += FORK_BLOCKS) {
    const part = known.slice(from, from + FORK_BLOCKS)
    const now = await source.headers(part.map(({ number }) => number))
    const fork = part.find(({ hash }, n) => now[n]?.hash === hash)
    if (fork) return fork
  }
  return undefined
}

/** Forks are short, and where finality is hours behind there are more blocks above it than a node tells of at once. */
const FORK_BLOCKS = 50

/** A chain has other blocks than those that were final. No service can repair that; a person must look. */
export class DeepReorganization extends Error {
  override readonly name = 'DeepReorganization'
  readonly reason = 'it was reorganised below its final block'
  constructor(chainId: number) {
    super(`chain ${chainId} was reorganised below its final block`)
  }
}
