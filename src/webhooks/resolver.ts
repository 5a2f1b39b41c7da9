import { inTurns, type Resolve, systemResolve, withinMs } from './resolve.ts'

/** The addresses of names, each remembered for a second. */
export type Resolver = {
  /** What is remembered. */
  known(name: string): readonly string[] | undefined
  /** Rejects when it cannot be told. */
  find: Resolve
}

/**
 * A lookup takes five seconds at most, and a few hundred are under way at once. Names that were found before wait
 * in a line of their own, and so do those that were not: however many dead names there are, they keep nobody else
 * from being looked up.
 */
export const openResolver = (
  resolve: Resolve = systemResolve,
  { timeoutMs = 5_000, now = () => performance.now() } = {},
): Resolver => {
  const found = new Map<string, { readonly addresses: readonly string[]; readonly until: number }>()
  const underWay = new Map<string, Promise<readonly string[]>>()
  const line = (most: number) => inTurns(most, name => withinMs(timeoutMs, resolve(name)))
  const lines = { found: line(512), new: line(128), failed: line(64) }
  const past = new Map<string, 'found' | 'failed'>()

  const look = async (name: string) => {
    try {
      const addresses = await lines[past.get(name) ?? 'new'](name)
      remember(past, name, 'found')
      remember(found, name, { addresses, until: now() + 1_000 })
      return addresses
    } catch (error) {
      remember(past, name, 'failed')
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
      const looking = underWay.get(name) ?? look(name)
      underWay.set(name, looking)
      return looking
    },
  }
}

/** Forgets what was told longest ago. */
const remember = <T>(map: Map<string, T>, name: string, value: T) => {
  map.delete(name)
  map.set(name, value)
  if (map.size <= 20_000) return
  for (const oldest of map.keys()) return void map.delete(oldest)
}
