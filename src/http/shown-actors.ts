/** The actors that a client was shown last, and the last change of each. */
export type ShownActors = {
  add(id: string, rev: number): void
  has(id: string): boolean
  /** Whether the client was shown this change or a later one. */
  isOld(id: string, rev: number): boolean
}

/** Forgets the actor without changes for the longest time when there are more than `most`. It is introduced again then. */
export const openShownActors = (most: number): ShownActors => {
  const revs = new Map<string, number>()
  return {
    add: (id, rev) => {
      // Deleted first, so that the order is that of the last changes.
      revs.delete(id)
      revs.set(id, rev)
      if (revs.size <= most) return
      const [oldest] = revs.keys()
      if (oldest !== undefined) revs.delete(oldest)
    },
    has: id => revs.has(id),
    isOld: (id, rev) => rev <= (revs.get(id) ?? 0),
  }
}
