import type { Sql } from '../../postgres/connect.ts'
import { RpcFault } from '../rpc/rpc.ts'
import { type Books, beginBooks, findCursor } from './books.ts'
import type { ChainSource, WatchedChain } from './read.ts'

/**
 * Begins the books of a chain that nobody has read yet. Not at its head, which may be gone in a moment: the block
 * that books begin with is one that they never go back behind.
 */
export const begin = async (
  sql: Sql,
  { id, confirmations }: Pick<WatchedChain, 'id' | 'confirmations'>,
  source: Pick<ChainSource, 'head' | 'headers'>,
): Promise<Books> => {
  const number = Math.max(0, (await source.head()) - confirmations)
  const [header] = await source.headers([number])
  if (!header) throw new RpcFault('garbage', `chain ${id} has a head, and no block below it`)
  await beginBooks(sql, id, header)
  const books = await findCursor(sql, id)
  if (!books) throw new Error(`the books of chain ${id} did not begin`)
  return books
}
