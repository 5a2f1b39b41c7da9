import { lookup, Resolver } from 'node:dns/promises'

/** All addresses of a name, IPv4 first: most machines can reach those. Rejects when there is none, or none was told. */
export type Resolve = (name: string) => Promise<readonly string[]>

/**
 * Asks the DNS itself, both kinds at once. getaddrinfo has four threads for the whole process, which a few names
 * with silent servers would hold for everybody; it is asked for what the DNS does not know, such as names in the
 * hosts file, by two at a time.
 */
export const resolveBy = (servers?: readonly string[]): Resolve => {
  let current: { readonly resolver: Resolver; readonly madeAt: number } | undefined

  /** Made anew every minute, since it reads once which servers to ask. */
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
    return lookUpHere(name)
  }
}

/** By the servers that the machine uses. */
export const systemResolve: Resolve = resolveBy()

const lookUpHere = inTurns(2, async (name: string) => {
  const found = await lookup(name, { all: true })
  const family = (wanted: number) => found.filter(({ family }) => family === wanted).map(({ address }) => address)
  return [...family(4), ...family(6)]
})

/** At most so many at a time; others wait for their turn. */
export function inTurns(most: number, resolve: Resolve): Resolve {
  let free = most
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

/** What is not there by then is taken for lost. */
export const withinMs = async <T>(ms: number, promise: Promise<T>): Promise<T> => {
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
