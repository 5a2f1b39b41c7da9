import type { Sql } from '../../postgres/connect.ts'
import type { Block } from '../chain-log.ts'
import { unlessUnanswered } from './beside.ts'
import { type Books, beginBooks, beginBooksAnew, findCursor, recentBlocks } from './books.ts'
import type { ChainSource, WatchedChain } from './watched-chain.ts'

type Beginning = Pick<ChainSource, 'reached' | 'agreedBlock'>

/**
 * Begins the books of a chain that was not read yet, at a block that two nodes agree on. Not at its head, which may be
 * gone in a moment: books never go back behind the block that they begin with.
 */
export const begin = async (
  sql: Sql,
  { id, confirmations }: Pick<WatchedChain, 'id' | 'confirmations'>,
  source: Beginning,
): Promise<Books> => {
  const block = await source.agreedBlock(Math.max(0, (await source.reached()) - confirmations))
  if (!block) throw new NoBeginning()
  await beginBooks(sql, id, block)
  const books = await findCursor(sql, id)
  if (!books) throw new Error(`the books of chain ${id} did not begin`)
  return books
}

/** Two nodes do not agree on the block to begin with. */
export class NoBeginning extends Error {
  override readonly name = 'NoBeginning'
  readonly reason = 'its nodes do not agree on the block to begin with'
}

/** Nothing was to be paid before the books began. The clocks of the chain and of the database may differ by so much. */
const CLOCKS_MS = 10 * 60_000

/**
 * Begins anew where two nodes do not have the block that the books began with, or have another final one: the only node
 * had invented it. Books that have final transfers stay as they are.
 */
export const beginAnew = async (
  sql: Sql,
  chain: WatchedChain,
  source: Beginning,
  books: Books,
  askReached: () => Promise<number | undefined>,
): Promise<boolean> => {
  if (await hasFinalTransfers(sql, chain.id)) return false
  const reached = await askReached()
  if (reached === undefined) return false
  if (reached >= books.begunNumber) {
    const final = (await recentBlocks(sql, chain.id)).at(-1)
    const now = final && (await unlessUnanswered(source.agreedBlock(final.number)))
    if (!now || now.hash === final.hash) return false
  }
  const time = new Date(books.begunAt.getTime() - CLOCKS_MS)
  const block = await lastBlockBy(source, time, Math.max(0, reached - chain.confirmations))
  if (!block) return false
  await beginBooksAnew(sql, chain.id, books, { block, epoch: books.epoch })
  return true
}

const hasFinalTransfers = async (sql: Sql, chainId: number): Promise<boolean> => {
  const [row] = await sql<{ has: boolean }[]>`
    select exists (select from transfers where chain_id = ${chainId} and state = 'final') as has`
  return row?.has === true
}

/** The last block, at most this one, that was mined by a time; the first of the chain where there is none. */
const lastBlockBy = async (source: Beginning, time: Date, upTo: number): Promise<Block | undefined> => {
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
