import { refuse } from '../errors.ts'

/** A group of streams, and how many it may have in this process. */
export type StreamGroup = readonly [name: string, most: number]

export const RETRY_S = 5

/** Counts the open streams of a process, and of each group. `most`: in total. */
export const openStreamCounts = (most: number) => {
  const counts = new Map<string, number>()
  let total = 0

  const add = (groups: readonly StreamGroup[], change: 1 | -1): void => {
    total += change
    for (const [name] of groups) {
      const count = (counts.get(name) ?? 0) + change
      if (count > 0) counts.set(name, count)
      else counts.delete(name)
    }
  }
  return {
    /** Counts a stream, or refuses it and counts nothing. `replaced`: the groups of a stream that ends for it. */
    enter: (groups: readonly StreamGroup[], replaced?: readonly StreamGroup[]): void => {
      if (total - (replaced ? 1 : 0) >= most) refuse('service_unavailable', { retryAfter: RETRY_S })
      const freedIn = replaced?.map(([name]) => name) ?? []
      const isFull = ([name, most]: StreamGroup) => (counts.get(name) ?? 0) - (freedIn.includes(name) ? 1 : 0) >= most
      if (groups.some(isFull)) refuse('rate_limited', { retryAfter: RETRY_S })
      add(groups, 1)
    },
    leave: (groups: readonly StreamGroup[]): void => add(groups, -1),
  }
}
