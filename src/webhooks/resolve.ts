import { lookup, Resolver } from 'node:dns/promises'

/** Returns all addresses of a name, IPv4 first, because most machines can reach these. Rejects if there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>

/**
 * Queries DNS directly, for IPv4 and IPv6 in parallel. getaddrinfo has four threads for the whole process, which a few
 * names with unresponsive servers would block. It is used for names that DNS does not know, such as those in the hosts
 * file, with two lookups in parallel.
 */
export const resolveBy = (servers?: readonly string[]): Resolve => {
  let current: { readonly resolver: Resolver; readonly madeAt: number } | undefined

  /** Created anew every minute, because a resolver reads the system's configuration only once. */
  const resolverNow = (): Resolver => {
    const at = performance.now()
    if (current && at - current.madeAt < 60_000) return current.resolver
    const resolver = new Resolver({ timeout: 1_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    current = { resolver, madeAt: at }
    return resolver
  }

  return async name => {
    const resolver = resolverNow()
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    for (const answer of answers)
      if (answer.status === 'rejected' && answer.reason?.code === 'ETIMEOUT') throw answer.reason
    return lookUpInSystem(name)
  }
}

/** Uses the DNS servers of the system. */
export const systemResolve: Resolve = resolveBy()

const lookUpInSystem = limitConcurrency(2, async (name: string) => {
  const found = await lookup(name, { all: true })
  const family = (wanted: number) => found.filter(({ family }) => family === wanted).map(({ address }) => address)
  return [...family(4), ...family(6)]
})

/** Runs at most `max` lookups in parallel. Others wait. */
export function limitConcurrency(max: number, resolve: Resolve): Resolve {
  let free = max
  const waiting: (() => void)[] = []
  return async name => {
    if (free === 0) await new Promise<void>(go => waiting.push(go))
    else free--
    try {
      return await resolve(name)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

/** Rejects if the promise is not settled in time. */
export const withTimeout = async <T>(ms: number, promise: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('took too long')), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
