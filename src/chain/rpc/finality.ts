import { blockCall, readHeader } from './block.ts'
import { type Rpc, RpcFault, RpcRefusal, resultOf } from './rpc.ts'

/**
 * The lower of the two block numbers that two nodes report for a tag (with one node, its number), so that no single
 * node makes a block older or more final than it is.
 */
export const agreedHeight = async (rpc: Rpc, tag: 'latest' | 'finalized'): Promise<number> =>
  Math.min(...(await rpc.both([blockCall(tag)], ([block]) => readHeader(resultOf(block)).number)))

/**
 * Returns the final block number and caches it for `forMs`. A cached number is lower than the current one, which is
 * safe.
 */
export const openFinality = (rpc: Rpc, forMs: number): (() => Promise<number>) => {
  let known: { readonly number: number; readonly until: number } | undefined
  return async () => {
    if (known && performance.now() < known.until) return known.number
    try {
      const number = await agreedHeight(rpc, 'finalized')
      known = { number, until: performance.now() + forMs }
      return number
    } catch (error) {
      throw isNotReported(error) ? new NoFinality() : error
    }
  }
}

/** The nodes do not know the `finalized` tag, or have no block for it: nothing of this chain becomes final. */
export class NoFinality extends Error {
  override readonly name = 'NoFinality'
  readonly reason = 'its nodes do not report a final block'
}

const isNotReported = (error: unknown): boolean =>
  error instanceof RpcRefusal || (error instanceof RpcFault && error.reason === 'behind')
