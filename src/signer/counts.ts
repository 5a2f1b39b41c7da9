import { readNumber } from '../chain/rpc/hex.ts'
import { type Rpc, resultOf } from '../chain/rpc/rpc.ts'

/** How many transactions of an address a node counts. */
export type Counts = {
  /** Nonces below this one are in blocks. */
  readonly minedTo: number
  /** With what waits to be mined; never below `minedTo`. */
  readonly pendingTo: number
}

/** A node that says nothing for so long is left out. */
const TIMEOUT_MS = 5_000

/** Of every node that can be asked: what one has never seen or has forgotten, another may still have mined. */
export const readCounts = (rpc: Pick<Rpc, 'every'>, address: string): Promise<readonly Counts[]> => {
  const calls = ['latest', 'pending'].map(tag => ({ method: 'eth_getTransactionCount', params: [address, tag] }))
  const read = (answers: readonly unknown[]) => {
    const [minedTo = 0, pendingTo = 0] = answers.map(answer => readNumber(resultOf(answer), 'a nonce'))
    return { minedTo, pendingTo: Math.max(minedTo, pendingTo) }
  }
  return rpc.every(calls, read, { timeoutMs: TIMEOUT_MS })
}

/** The first nonce that no node has seen a transaction of. */
export const highestOf = (counts: readonly Counts[]): number => Math.max(...counts.map(({ pendingTo }) => pendingTo))

export const readHighest = async (rpc: Pick<Rpc, 'every'>, address: string): Promise<number> =>
  highestOf(await readCounts(rpc, address))
