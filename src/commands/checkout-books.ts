import { confirmationsOf } from '../chain/chains.ts'
import type { ConnectedChain } from '../chain/connect.ts'
import { isOfNode } from '../chain/rpc/rpc.ts'
import { begin, NoBeginning } from '../chain/watch/begin.ts'
import { findCursor } from '../chain/watch/books.ts'
import { openSource } from '../chain/watch/source.ts'
import { refuse } from '../errors.ts'
import type { Sql } from '../postgres/connect.ts'

/**
 * Sees to it that a chain's books have begun before an address on it is shown: whoever reads it begins where they
 * do, and would pass over what was paid before. Once they have, no node is asked here any more.
 */
export const haveBooks = async (sql: Sql, { chain, rpc }: ConnectedChain): Promise<void> => {
  if (await findCursor(sql, chain.id)) return
  try {
    await begin(sql, { id: chain.id, confirmations: confirmationsOf(chain) }, openSource(rpc, []))
  } catch (error) {
    if (!(isOfNode(error) || error instanceof NoBeginning)) throw error
    refuse('chain_unavailable', { param: 'chainId', retryAfter: RETRY_S })
  }
}

const RETRY_S = 5
