/** Caches results of reads for a limited time. */
export type TtlCache<T> = {
  /** Returns the result of a read that began within the time limit, or calls `read`. Not a promise if it is cached. */
  get(key: string, read: () => Promise<T | undefined>): T | Promise<T | undefined>
  forget(key: string): void
  clear(): void
}

export const openTtlCache = <T>({ ms = 1_000, max = 10_000 } = {}): TtlCache<T> => {
  const entries = new Map<string, Entry<T>>()

  const begin = (key: string, read: () => Promise<T | undefined>): Promise<T | undefined> => {
    // The time counts from here, because changes during the read may be missing in its result.
    const startedAt = performance.now()
    const answer = read()
    const entry: Entry<T> = { startedAt, answer }
    entries.delete(key)
    const [oldest] = entries.size < max ? [] : entries.keys()
    if (oldest !== undefined) entries.delete(oldest)
    entries.set(key, entry)
    // Errors and missing rows are not cached, so that a new key or session works immediately in every process.
    const drop = () => {
      if (entries.get(key) === entry) entries.delete(key)
    }
    answer.then(found => {
      if (found === undefined) drop()
      else entry.answer = found
    }, drop)
    return answer
  }

  return {
    get: (key, read) => {
      const entry = entries.get(key)
      return entry && performance.now() - entry.startedAt < ms ? entry.answer : begin(key, read)
    },
    forget: key => void entries.delete(key),
    clear: () => entries.clear(),
  }
}

type Entry<T> = { readonly startedAt: number; answer: T | Promise<T | undefined> }
