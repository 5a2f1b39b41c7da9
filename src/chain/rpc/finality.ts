import { blockAt, readHeader } from './block.ts'
import { answered, type Rpc, RpcFault, RpcRefusal } from './rpc.ts'

/**
 * How far the chain has got, as two of its nodes say (the one, where there is one): the lower of the two, so that
 * no single node makes a block older or more final than it is.
 */
export const reachedBy = async (rpc: Rpc, tag: 'latest' | 'finalized'): Promise<number> =>
  Math.min(...(await rpc.both([blockAt(tag)], ([block]) => readHeader(answered(block)).number)))

/** Asks what is final anew when the last answer is so old. An older one is lower, and does no harm. */
export const openFinality = (rpc: Rpc, forMs: number): (() => Promise<number>) => {
  let known: { readonly number: number; readonly until: number } | undefined
  return async () => {
    if (known && performance.now() < known.until) return known.number
    try {
      const number = await reachedBy(rpc, 'finalized')
      known = { number, until: performance.now() + forMs }
      return number
    } catch (error) {
      throw isUntold(error) ? new NoFinality() : error
    }
  }
}

/** The nodes do not know the tag, or name no block by it: nothing of this chain becomes final. */
export class NoFinality extends Error {
  override readonly name = 'NoFinality'
  readonly reason = 'it does not say what is final'
}

const isUntold = (error: unknown): boolean =>
  error instanceof RpcRefusal || (error instanceof RpcFault && error.reason === 'behind')
