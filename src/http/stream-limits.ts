import { refuse } from '../errors.ts'

/** The origin of a stream for limits; undefined if callers cannot be distinguished. */
export type StreamOrigin = { readonly network: string; readonly site: string } | undefined

export type StreamLimits = { readonly most: number; readonly mostOfNetwork: number; readonly mostOfSite: number }

export const RETRY_S = 5

type Group = readonly [name: string, most: number]

/** Counts the open streams of a process, of each network (an IPv4 address or a /64), and of each IPv6 /48. */
export const openStreamCounts = ({ most, mostOfNetwork, mostOfSite }: StreamLimits) => {
  const counts = new Map<string, number>()
  let total = 0

  const groupsOf = (origin: StreamOrigin): readonly Group[] => {
    if (!origin) return []
    const { network, site } = origin
    const group = [network, mostOfNetwork] as const
    // For IPv4 both are the address; only the limit of the network applies.
    return site === network ? [group] : [group, [site, mostOfSite]]
  }
  const add = (origin: StreamOrigin, change: 1 | -1): void => {
    total += change
    for (const [name] of groupsOf(origin)) {
      const count = (counts.get(name) ?? 0) + change
      if (count > 0) counts.set(name, count)
      else counts.delete(name)
    }
  }
  return {
    /** Counts a stream, or refuses it and counts nothing. `replaced`: the origin of a stream that ends for it. */
    enter: (origin: StreamOrigin, replaced?: { readonly origin: StreamOrigin }): void => {
      const freed = replaced ? 1 : 0
      if (total - freed >= most) refuse('service_unavailable', { retryAfter: RETRY_S })
      const freedIn = replaced ? groupsOf(replaced.origin).map(([name]) => name) : []
      const isFull = ([name, most]: Group) => (counts.get(name) ?? 0) - (freedIn.includes(name) ? 1 : 0) >= most
      if (groupsOf(origin).some(isFull)) refuse('rate_limited', { retryAfter: RETRY_S })
      add(origin, 1)
    },
    leave: (origin: StreamOrigin): void => add(origin, -1),
  }
}
