import type { Sql } from '../../postgres/connect.ts'
import { type Block, type Cursor, findOurs, type TransferLog } from './books.ts'
import { areAwaited } from './coins/sent.ts'
import type { ChainSource, WatchedChain } from './read.ts'

/** So many final blocks behind the cursor are worth a range of their own. */
const FAR = 200

/**
 * After an outage: blocks that are final already, those with transfers of ours and the last one, read by two nodes
 * alike. Of all the others no header is asked for: a range of a thousand blocks is two questions instead of a
 * thousand. Undefined where blocks have to be read one by one.
 */
export const findFinalRange = async (
  sql: Sql,
  chain: WatchedChain,
  source: ChainSource,
  cursor: Cursor,
  head: number,
): Promise<{ readonly blocks: readonly Block[]; readonly logs: readonly TransferLog[] } | undefined> => {
  if (head - cursor.number < FAR) return undefined
  // That nobody tells what is final shows where blocks become it.
  const final = chain.saysFinal ? await source.finalized().catch(() => 0) : head - chain.confirmations + 1
  if (final - cursor.number < FAR) return undefined
  // Transactions that carry coins stand in whole blocks alone.
  if (await areAwaited(sql, chain.id)) return undefined
  const by = chain.saysFinal ? 'finalized' : chain
  const range = await source.finalRange(cursor, final, by)
  if (!range) return undefined

  // The logs first and the addresses then: whoever was given one meanwhile has not paid in these blocks.
  const ours = await findOurs(sql, [...new Set(range.logs.map(({ to }) => to))])
  const logs = range.logs.filter(({ to }) => ours.has(to))
  const places = new Map(logs.map(({ blockNumber: number, blockHash: hash }) => [hash, { number, hash }]))
  places.delete(range.end.hash)
  const blocks = await source.agreedBlocks([...places.values()])
  return blocks && { blocks: [...blocks, range.end], logs }
}
