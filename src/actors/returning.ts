/** Who was told so long ago is not counted any more with those who will come back. */
const BACK_WITHIN_MS = 10

/**
 * How much of the time that their batch took is waited for those it told. Callers who come one by one, as over HTTP,
 * fall into two halves otherwise, of which each waits for the commit of the other besides its own. Where all share one,
 * 2 callers get 60 % more done over HTTP, 8 callers 40 % and 16 callers 12 %.
 */
const WAITED_SHARE = 0.5

/** And no longer than this, whatever their batch had to wait for itself. Half of it was enough for 16 callers. */
const WAITED_MOST_MS = 2

/** A habit is that of about so many callers or batches: one that was held up by something else changes none. */
const REMEMBERED = 16

/** Callers told by one batch: how many have not come back, since when, until when they are waited for. */
type Told = { units: number; readonly at: number; readonly waitedUntil: number }

/** Those whose batch is over and who may ask for something next. */
export const openReturning = (now: () => number) => {
  /** Oldest first, and none of nobody. */
  let told: Told[] = []
  /** The share of those told last who were back while they were waited for, from 0 to 1. */
  let habit = 0

  const count = (): number => {
    const from = now() - BACK_WITHIN_MS
    const lost = unitsIn(told.filter(({ at }) => at < from))
    if (lost > 0) {
      habit *= (1 - 1 / REMEMBERED) ** lost
      told = told.filter(({ at }) => at >= from)
    }
    return unitsIn(told)
  }

  return {
    count,
    told: (units: number, tookMs: number): void => {
      count()
      const at = now()
      const waitedUntil = at + Math.min(WAITED_SHARE * tookMs, WAITED_MOST_MS)
      if (units > 0) told.push({ units, at, waitedUntil })
    },
    /**
     * Somebody asks for something, and is taken for one of those told last: so whoever does not come back is missing
     * where it was told, is waited for once, and is forgotten in time. Taken for one of those told first, all who come
     * would make up for it, and each batch would wait for one who is not on the way.
     */
    cameBack: (): void => {
      const last = told.at(-1)
      if (!last) return
      habit += ((now() <= last.waitedUntil ? 1 : 0) - habit) / REMEMBERED
      if (--last.units === 0) told.pop()
    },
    /**
     * For how long those told last are still worth waiting for. Whoever asks now and then, and is not back when told,
     * is waited for by nobody: then most have not been.
     */
    worthMs: (): number => {
      const last = told.at(-1)
      return last === undefined || habit < 0.5 ? 0 : Math.max(0, last.waitedUntil - now())
    },
  }
}

/** In batches of any kind. */
export const unitsIn = (batches: Iterable<{ readonly units: number }>): number => {
  let sum = 0
  for (const { units } of batches) sum += units
  return sum
}
