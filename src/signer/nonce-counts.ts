import { readNumber } from '../chain/rpc/hex.ts'
import { type Rpc, resultOf } from '../chain/rpc/rpc.ts'

/** The transaction counts of an address, from one node. */
export type NonceCounts = {
  /** Nonces below this one are mined. */
  readonly minedTo: number
  /** The same including pending transactions. Never below `minedTo`. */
  readonly pendingTo: number
}

/** A node that does not answer within this time is left out. */
const TIMEOUT_MS = 5_000

/** Asks all nodes: a transaction that one node has never seen or has dropped may still be mined by another. */
export const readNonceCounts = (rpc: Pick<Rpc, 'every'>, address: string): Promise<readonly NonceCounts[]> => {
  const calls = ['latest', 'pending'].map(tag => ({ method: 'eth_getTransactionCount', params: [address, tag] }))
  const read = (answers: readonly unknown[]) => {
    const [minedTo = 0, pendingTo = 0] = answers.map(answer => readNumber(resultOf(answer), 'a nonce'))
    return { minedTo, pendingTo: Math.max(minedTo, pendingTo) }
  }
  return rpc.every(calls, read, { timeoutMs: TIMEOUT_MS })
}

/** The first nonce for which no node has seen a transaction. */
export const highestNonceOf = (counts: readonly NonceCounts[]): number =>
  Math.max(...counts.map(({ pendingTo }) => pendingTo))

export const readHighestNonce = async (rpc: Pick<Rpc, 'every'>, address: string): Promise<number> =>
  highestNonceOf(await readNonceCounts(rpc, address))
