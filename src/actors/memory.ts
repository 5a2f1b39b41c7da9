import type { Actor } from './kind.ts'

/** A transaction. Their numbers are given out anew in each era; see `eras`. */
export type Written = { readonly xid: string; readonly era: number }

/** An actor as this process has left it, and the transaction that wrote its row. */
export type Known = { readonly actor: Actor; readonly xid: string }

export type Memory = {
  /** Undefined also while others are known to write actors of the kind. */
  recall(kind: string, key: string): Known | undefined
  /** Told of each commit, of those that leave nothing to be kept too. */
  wrote(written: Written): void
  /** Nobody changes it from here on. */
  keep(key: string, actor: Actor, written: Written): void
  /** Of all that is remembered. */
  era(): number
  /** The row is another one by now: somebody else writes actors of this kind too. */
  wasWrong(kind: string, key: string): void
  /** The server may be another one by now, that never had all of it. */
  forgetAll(): void
}

type MemoryOptions = {
  /** At least so many are remembered, and at most twice as many; with 0 none is. */
  readonly most: number
  /** So long at least, and at most twice as long while there is anything to remember. */
  readonly forMs?: number
  /** For so long nothing is recalled of a kind after it was wrong. */
  readonly restMs?: number
}

/**
 * What this process wrote last need not be read again: that is one of a command's two round trips. Nothing is believed
 * for it. A commit finds the row as it was left, by the transaction that wrote it, or its command goes round again
 * with what is read then; and whoever is refused is refused by what was read.
 */
export const openMemory = ({ most, forMs = 600_000, restMs = 1_000 }: MemoryOptions): Memory => {
  // Two generations: the actors written last, and those before them. Whoever is written again is young again.
  let young = new Map<string, Known>()
  let old = new Map<string, Known>()
  let bornAt = performance.now()
  let era = 0
  const restsUntil = new Map<string, number>()

  const age = () => {
    if (young.size < most && performance.now() < bornAt + forMs) return
    old = young
    young = new Map()
    bornAt = performance.now()
  }

  const forgetAll = () => {
    young = new Map()
    old = new Map()
  }

  const wrote = (written: Written) => {
    if (written.era > era) forgetAll()
    era = Math.max(era, written.era)
    age()
  }

  return {
    recall: (kind, key) => {
      const until = restsUntil.get(kind)
      if (until !== undefined && performance.now() < until) return undefined
      return young.get(key) ?? old.get(key)
    },
    wrote,
    keep: (key, actor, written) => {
      // What an older era has left is answered late.
      if (most === 0 || written.era < era) return
      wrote(written)
      young.set(key, { actor: frozen(actor), xid: written.xid })
    },
    era: () => era,
    wasWrong: (kind, key) => {
      young.delete(key)
      old.delete(key)
      restsUntil.set(kind, performance.now() + restMs)
    },
    forgetAll,
  }
}

/** Callers are given the same one: what they did to it would be written with the next command. */
const frozen = <T>(value: T): T => {
  if (value === null || typeof value !== 'object' || value instanceof Date || Object.isFrozen(value)) return value
  for (const name in value) {
    const part = value[name]
    if (typeof part === 'object') frozen(part)
  }
  return Object.freeze(value)
}
