import { confirmationsOf } from '../chain/enabled/chains.ts'
import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { isNodeError } from '../chain/rpc/rpc.ts'
import { findCursor } from '../chain/watch/chain-state.ts'
import { openSource } from '../chain/watch/source.ts'
import { NoStartBlock, startReading } from '../chain/watch/start-reading.ts'
import { refuse } from '../errors.ts'
import type { Sql } from '../postgres/connect.ts'

/**
 * Ensures that the chain has a cursor before an address on it is shown: reading starts at the cursor, so payments before it
 * would be missed. After that, no node is called here.
 */
export const ensureCursor = async (sql: Sql, { chain, rpc }: ConnectedChain): Promise<void> => {
  if (await findCursor(sql, chain.id)) return
  try {
    await startReading(sql, { id: chain.id, confirmations: confirmationsOf(chain) }, openSource(rpc, []))
  } catch (error) {
    if (!(isNodeError(error) || error instanceof NoStartBlock)) throw error
    refuse('chain_unavailable', { param: 'chainId', retryAfter: RETRY_S })
  }
}

const RETRY_S = 5
