import type { Sql } from '../../postgres/connect.ts'
import type { Cursor } from '../chain-log.ts'
import { unlessUnanswered } from './chain-loops.ts'
import { recentBlocks, rewindBlocks, storeStopped } from './chain-state.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

/** Rewinds to the highest recorded block that the chain still has. */
export const rewindToFork = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  cursor: Cursor,
): Promise<void> => {
  const fork = await findFork(sql, chain, source)
  if (fork) return void (await rewindBlocks(sql, chain.id, cursor, fork.number))
  if (await isForkOfOneNode(sql, chain, source)) return
  await storeStopped(sql, chain.id, cursor, true)
  throw new DeepReorganization(chain.id)
}

/**
 * Whether two nodes whose head is below the cursor have another block there than was recorded: then one node alone
 * invented the blocks above. Nodes that are only behind have the recorded block.
 */
export const isCursorReplaced = async (
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

/** Whether two other nodes have the recorded final block. Then one node is on another fork, and counts as faulty. */
const isForkOfOneNode = async (sql: Sql, chain: WatchedChain, source: ChainSource): Promise<boolean> => {
  const final = (await recentBlocks(sql, chain.id)).at(-1)
  if (!final || !(await source.agreedBlocks([final]))) return false
  await source.faultOtherFinal(final)
  return true
}

/** The highest recorded block that the chain still has. */
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

/**
 * Blocks compared in one request. Forks are short, and where finality takes hours there are more recorded blocks than
 * fit into a request.
 */
const FORK_BLOCKS = 50

/** A reorganization below the final block. The server cannot repair this: an operator must decide. */
export class DeepReorganization extends Error {
  override readonly name = 'DeepReorganization'
  readonly reason = 'it was reorganized below its final block'
  constructor(chainId: number) {
    super(`chain ${chainId} was reorganized below its final block`)
  }
}
