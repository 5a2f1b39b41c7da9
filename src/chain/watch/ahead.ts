import type { TransferLog } from '../chain-log.ts'
import { openBatchSizer } from '../rpc/batch-sizer.ts'
import { numbersOf } from './books.ts'
import type { ChainSource, WatchedHeader } from './watched-chain.ts'

type Ahead = {
  readonly from: number
  readonly to: number
  readonly headers: Promise<readonly (WatchedHeader | undefined)[]>
  readonly transfers: Promise<readonly TransferLog[]>
}

/**
 * Parts asked for before their turn: while one is waited for, another is read and a third is written down. With one
 * fewer the node stood still whenever two of its answers came together, which cost an eighth of the blocks a second.
 */
const MOST = 3

/**
 * Asks for the blocks that follow while others are read and written down: as many again, and again, where the head
 * is known to be so far. Whoever asks for just these is given them, once. They may be of a chain that has changed since:
 * their reader sees by the parents that they do not fit, as with any answer, and asks anew.
 */
export const readAhead = (source: Omit<ChainSource, 'stride'>): ChainSource => {
  const stride = openBatchSizer()
  let head = 0
  /** Who takes less at once than is wanted is asked for nothing ahead. */
  let isCut = false
  let ahead: Ahead[] = []

  const askFor = (from: number, to: number): Ahead => {
    const headers = source.headers(numbersOf(from, to))
    const transfers = headers.then(() => source.transfers(from, to))
    // Perhaps nobody ever wants it; who does, asks again.
    headers.catch(() => {})
    transfers.catch(() => {})
    return { from, to, headers, transfers }
  }

  const isNext = (from: number | undefined, to: number | undefined) => ahead[0]?.from === from && ahead[0]?.to === to

  return {
    ...source,
    stride: {
      upTo: (from, to) => {
        const last = from + stride.sizeFor(to - from + 1) - 1
        isCut = last < to
        const [next] = ahead
        return next?.from === from && next.to <= to ? next.to : last
      },
      refused: (from, to) => stride.refused(to - from + 1),
      went: (from, to) => stride.succeeded(to - from + 1),
    },
    look: async cursor => {
      const [next] = ahead
      if (next?.from === cursor.number + 1) {
        // The block that the next one names as its parent is there. If it is another one, it is looked at by itself.
        const headers = await next.headers.catch(() => [])
        if (headers[0]?.parentHash === cursor.hash) return { head, hash: cursor.hash }
      }
      ahead = []
      const seen = await source.look(cursor)
      head = seen.head
      return seen
    },
    headers: numbers => {
      const [from, to] = [numbers[0], numbers.at(-1)]
      if (from === undefined || to === undefined || from === to) return source.headers(numbers)
      const next = ahead[0]
      if (next && isNext(from, to)) return next.headers.catch(() => source.headers(numbers))
      ahead = []
      return source.headers(numbers)
    },
    transfers: async (from, to) => {
      const asked = isNext(from, to) ? ahead.shift()?.transfers : undefined
      const transfers = await (asked?.catch(() => source.transfers(from, to)) ?? source.transfers(from, to))
      // Not sooner: a node that cannot tell of what follows, and rests for that, has told of these.
      const count = to - from + 1
      for (let last = ahead.at(-1)?.to ?? to; !isCut && ahead.length < MOST && last + count <= head; last += count)
        ahead.push(askFor(last + 1, last + count))
      return transfers
    },
  }
}
