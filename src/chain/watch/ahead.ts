import type { TransferLog } from './books.ts'
import type { ChainSource, Header } from './read.ts'

type Ahead = {
  readonly from: number
  readonly to: number
  readonly headers: Promise<readonly (Header | undefined)[]>
  readonly transfers: Promise<readonly TransferLog[]>
}

/**
 * Asks for the blocks that follow while others are written down: as many again, once the head is known to be so far.
 * Whoever asks for just these is given them, once. They may be of a chain that has changed since: their reader sees
 * by the parents that they do not fit, as with any answer, and asks anew.
 */
export const readAhead = (source: ChainSource): ChainSource => {
  let head = 0
  let ahead: Ahead | undefined

  const askFor = (from: number, to: number): Ahead => {
    const headers = source.headers(Array.from({ length: to - from + 1 }, (_, n) => from + n))
    const transfers = headers.then(() => source.transfers(from, to))
    // Perhaps nobody ever wants it; who does, asks again.
    headers.catch(() => {})
    transfers.catch(() => {})
    return { from, to, headers, transfers }
  }

  const isAhead = (from: number | undefined, to: number | undefined) => ahead?.from === from && ahead?.to === to

  return {
    ...source,
    head: async () => {
      head = await source.head()
      return head
    },
    headers: numbers => {
      // The cursor's own, which is looked at in between.
      if (numbers.length === 1) return source.headers(numbers)
      if (ahead && isAhead(numbers[0], numbers.at(-1))) return ahead.headers.catch(() => source.headers(numbers))
      ahead = undefined
      return source.headers(numbers)
    },
    transfers: async (from, to) => {
      const asked = ahead && isAhead(from, to) ? ahead.transfers : undefined
      ahead = undefined
      const transfers = await (asked?.catch(() => source.transfers(from, to)) ?? source.transfers(from, to))
      const next = to + (to - from + 1)
      if (head >= next) ahead = askFor(to + 1, next)
      return transfers
    },
  }
}
