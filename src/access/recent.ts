/** What was read lately, for as long as it may be believed. */
export type Recent<T> = {
  /** The answer of a read that began within the last second, this one's if need be: at once when it is there. */
  get(key: string, read: () => Promise<T | undefined>): T | Promise<T | undefined>
  forget(key: string): void
  clear(): void
}

export const openRecent = <T>({ ms = 1_000, most = 10_000 } = {}): Recent<T> => {
  const entries = new Map<string, Entry<T>>()

  const begin = (key: string, read: () => Promise<T | undefined>): Promise<T | undefined> => {
    // Counted from here: what changes while the read is under way may be missing from its answer.
    const began = performance.now()
    const asked = read()
    const entry: Entry<T> = { began, answer: asked }
    entries.delete(key)
    const [oldest] = entries.size < most ? [] : entries.keys()
    if (oldest !== undefined) entries.delete(oldest)
    entries.set(key, entry)
    // Neither a failure nor an absence is remembered: who has just been let in comes in at once, in every process.
    const drop = () => {
      if (entries.get(key) === entry) entries.delete(key)
    }
    asked.then(answer => {
      if (answer === undefined) drop()
      else entry.answer = answer
    }, drop)
    return asked
  }

  return {
    get: (key, read) => {
      const known = entries.get(key)
      return known && performance.now() - known.began < ms ? known.answer : begin(key, read)
    },
    forget: key => void entries.delete(key),
    clear: () => entries.clear(),
  }
}

type Entry<T> = { readonly began: number; answer: T | Promise<T | undefined> }
