import { limitConcurrency, type Resolve, systemResolve, withTimeout } from './resolve.ts'

/** Looks up the addresses of names, and caches each for a second. */
export type Resolver = {
  /** The cached addresses. */
  known(name: string): readonly string[] | undefined
  /** Rejects if the lookup fails. */
  find: Resolve
}

/**
 * A lookup takes at most five seconds, and a few hundred run in parallel. Names that were found before, names that
 * failed and new names have separate queues, so that many failing names do not delay the others.
 */
export const openResolver = (
  resolve: Resolve = systemResolve,
  { timeoutMs = 5_000, now = () => performance.now() } = {},
): Resolver => {
  const found = new Map<string, { readonly addresses: readonly string[]; readonly until: number }>()
  const underWay = new Map<string, Promise<readonly string[]>>()
  const queue = (max: number) => limitConcurrency(max, name => withTimeout(timeoutMs, resolve(name)))
  const queues = { found: queue(512), new: queue(128), failed: queue(64) }
  const lastResults = new Map<string, 'found' | 'failed'>()

  const lookUp = async (name: string) => {
    try {
      const addresses = await queues[lastResults.get(name) ?? 'new'](name)
      setBounded(lastResults, name, 'found')
      setBounded(found, name, { addresses, until: now() + 1_000 })
      return addresses
    } catch (error) {
      setBounded(lastResults, name, 'failed')
      throw error
    } finally {
      underWay.delete(name)
    }
  }

  return {
    known: name => {
      const entry = found.get(name)
      return entry && entry.until > now() ? entry.addresses : undefined
    },
    find: name => {
      const lookup = underWay.get(name) ?? lookUp(name)
      underWay.set(name, lookup)
      return lookup
    },
  }
}

/** Sets an entry, and removes the oldest one if there are too many. */
const setBounded = <T>(map: Map<string, T>, name: string, value: T) => {
  map.delete(name)
  map.set(name, value)
  if (map.size <= 20_000) return
  for (const oldest of map.keys()) return void map.delete(oldest)
}
