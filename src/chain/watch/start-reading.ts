import type { Sql } from '../../postgres/connect.ts'
import type { Block } from '../chain-log.ts'
import { unlessUnanswered } from './chain-loops.ts'
import { type ChainState, findCursor, recentBlocks, restartChainState, startChainState } from './chain-state.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

type StartSource = Pick<ChainSource, 'agreedHead' | 'agreedBlock'>

/**
 * Starts reading a chain at a block that two nodes agree on. Not at its head, which a reorg may remove: reading cannot
 * be rewound to before its first block.
 */
export const startReading = async (
  sql: Sql,
  { id, confirmations }: Pick<WatchedChain, 'id' | 'confirmations'>,
  source: StartSource,
): Promise<ChainState> => {
  const block = await source.agreedBlock(Math.max(0, (await source.agreedHead()) - confirmations))
  if (!block) throw new NoStartBlock()
  await startChainState(sql, id, block)
  const state = await findCursor(sql, id)
  if (!state) throw new Error(`chain ${id} has no cursor after the start of reading`)
  return state
}

/** Two nodes do not agree on the block to start with. */
export class NoStartBlock extends Error {
  override readonly name = 'NoStartBlock'
  readonly reason = 'its nodes do not agree on the block to start with'
}

/** No address was issued before reading started. The tolerance for the clocks of chain and database. */
const CLOCK_TOLERANCE_MS = 10 * 60_000

/**
 * Restarts reading where two nodes do not have the block that it started with, or have another final block: the only
 * node at that time invented it. Does nothing once a transfer is final.
 */
export const restartReading = async (
  sql: Sql,
  chain: WatchedChain,
  source: StartSource,
  state: ChainState,
  askAgreedHead: () => Promise<number | undefined>,
): Promise<boolean> => {
  if (await hasFinalTransfers(sql, chain.id)) return false
  const reached = await askAgreedHead()
  if (reached === undefined) return false
  if (reached >= state.begunNumber) {
    const final = (await recentBlocks(sql, chain.id)).at(-1)
    const now = final && (await unlessUnanswered(source.agreedBlock(final.number)))
    if (!now || now.hash === final.hash) return false
  }
  const time = new Date(state.begunAt.getTime() - CLOCK_TOLERANCE_MS)
  const block = await lastBlockBy(source, time, Math.max(0, reached - chain.confirmations))
  if (!block) return false
  await restartChainState(sql, chain.id, state, { block, epoch: state.epoch })
  return true
}

const hasFinalTransfers = async (sql: Sql, chainId: number): Promise<boolean> => {
  const [row] = await sql<{ has: boolean }[]>`
    select exists (select from transfers where chain_id = ${chainId} and state = 'final') as has`
  return row?.has === true
}

/** The last block that was mined by a time, at most `upTo`; the first block of the chain where there is none. */
const lastBlockBy = async (source: StartSource, time: Date, upTo: number): Promise<Block | undefined> => {
  let [low, high] = [0, upTo]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const block = await source.agreedBlock(middle)
    if (!block) return undefined
    if (block.minedAt <= time) low = middle
    else high = middle - 1
  }
  return source.agreedBlock(low)
}
