import type { TransferLog } from '../chain-log.ts'
import { openBatchSizer } from '../rpc/batch-sizer.ts'
import { blockNumbers } from './chain-state.ts'
import type { ChainSource, WatchedHeader } from './watched-chain.ts'

type PrefetchedPart = {
  readonly from: number
  readonly to: number
  readonly headers: Promise<readonly (WatchedHeader | undefined)[]>
  readonly transfers: Promise<readonly TransferLog[]>
}

/**
 * Parts requested in advance: while one is awaited, another is parsed and a third is recorded. With one fewer, the node
 * was idle whenever two of its answers arrived together, which cost an eighth of the blocks per second.
 */
const MAX_PARTS = 3

/**
 * Prefetches the following blocks while others are parsed and recorded, in parts of the same size, up to the known
 * head. A caller that asks for exactly the next part gets the prefetched one, once. The chain may have changed since:
 * the reader then sees that the parent hashes do not match, and reads again.
 */
export const readAhead = (source: Omit<ChainSource, 'rangeSizer'>): ChainSource => {
  const sizer = openBatchSizer()
  let head = 0
  /** A node that accepts less than a whole part is not prefetched from. */
  let isLimited = false
  let prefetched: PrefetchedPart[] = []

  const prefetch = (from: number, to: number): PrefetchedPart => {
    const headers = source.headers(blockNumbers(from, to))
    const transfers = headers.then(() => source.transfers(from, to))
    // It may never be used; a caller that needs it asks again after a failure.
    headers.catch(() => {})
    transfers.catch(() => {})
    return { from, to, headers, transfers }
  }

  const isNext = (from: number | undefined, to: number | undefined) =>
    prefetched[0]?.from === from && prefetched[0]?.to === to

  return {
    ...source,
    rangeSizer: {
      endOf: (from, to) => {
        const last = from + sizer.sizeFor(to - from + 1) - 1
        isLimited = last < to
        const [next] = prefetched
        return next?.from === from && next.to <= to ? next.to : last
      },
      refused: (from, to) => sizer.refused(to - from + 1),
      succeeded: (from, to) => sizer.succeeded(to - from + 1),
    },
    headAndBlock: async cursor => {
      const [next] = prefetched
      if (next?.from === cursor.number + 1) {
        // The next block names the cursor as its parent, so the cursor is on the chain. Otherwise it is looked up.
        const headers = await next.headers.catch(() => [])
        if (headers[0]?.parentHash === cursor.hash) return { head, hash: cursor.hash }
      }
      prefetched = []
      const seen = await source.headAndBlock(cursor)
      head = seen.head
      return seen
    },
    headers: numbers => {
      const [from, to] = [numbers[0], numbers.at(-1)]
      if (from === undefined || to === undefined || from === to) return source.headers(numbers)
      const next = prefetched[0]
      if (next && isNext(from, to)) return next.headers.catch(() => source.headers(numbers))
      prefetched = []
      return source.headers(numbers)
    },
    transfers: async (from, to) => {
      const asked = isNext(from, to) ? prefetched.shift()?.transfers : undefined
      const transfers = await (asked?.catch(() => source.transfers(from, to)) ?? source.transfers(from, to))
      // After the answer: if a request for later blocks fails and pauses the node, this part is complete.
      const count = to - from + 1
      for (
        let last = prefetched.at(-1)?.to ?? to;
        !isLimited && prefetched.length < MAX_PARTS && last + count <= head;
        last += count
      )
        prefetched.push(prefetch(last + 1, last + count))
      return transfers
    },
  }
}
