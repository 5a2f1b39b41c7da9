/** What was read lately, for as long as it may be believed. */
export type Recent<T> = {
  /** The answer of a read that began within the last second, this one's if need be. */
  get(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>
  forget(key: string): void
  clear(): void
}

export const openRecent = <T>({ ms = 1_000, most = 10_000 } = {}): Recent<T> => {
  const entries = new Map<string, Entry<T>>()

  const begin = (key: string, read: () => Promise<T | undefined>): Entry<T> => {
    // Counted from here: what changes while the read is under way may be missing from its answer.
    const entry: Entry<T> = { began: performance.now(), answer: read() }
    entries.delete(key)
    const [oldest] = entries.size < most ? [] : entries.keys()
    if (oldest !== undefined) entries.delete(oldest)
    entries.set(key, entry)
    // Neither a failure nor an absence is remembered: who has just been let in comes in at once, in every process.
    const drop = () => {
      if (entries.get(key) === entry) entries.delete(key)
    }
    entry.answer.then(answer => answer ?? drop(), drop)
    return entry
  }

  return {
    get: (key, read) => {
      const known = entries.get(key)
      return (known && performance.now() - known.began < ms ? known : begin(key, read)).answer
    },
    forget: key => void entries.delete(key),
    clear: () => entries.clear(),
  }
}

type Entry<T> = { readonly began: number; readonly answer: Promise<T | undefined> }
