import type { HeartbeatCount } from './queries.ts'

export type LivenessOptions = {
  /** A worker whose count has not changed for longer is dead. */
  readonly deadAfterMs: number
  /** After a pause longer than this between two checks, all workers count as alive again. */
  readonly gapMs: number
}

/**
 * Finds workers without heartbeats. Compares counts, and measures time with a monotonic clock, so that a step of a
 * system clock makes no worker look dead. Only time in which this process checked counts: after it was suspended, or
 * the database was unreachable or slow, all workers have the full time again.
 */
export const openLiveness = ({ deadAfterMs, gapMs }: LivenessOptions) => {
  let known = new Map<string, { readonly beats: string; readonly sinceMs: number }>()
  let lastSentMs = Number.NEGATIVE_INFINITY

  /** The counts were read at some time between `sentMs` and `answeredMs`. The workers get the benefit of the doubt. */
  const findDead = (workers: readonly HeartbeatCount[], sentMs: number, answeredMs: number): HeartbeatCount[] => {
    const before = sentMs - lastSentMs > gapMs ? new Map() : known
    lastSentMs = sentMs
    known = new Map(
      workers.map(({ id, beats }) => {
        const last = before.get(id)
        return [id, last?.beats === beats ? last : { beats, sinceMs: answeredMs }]
      }),
    )
    return workers.filter(({ id }) => sentMs - (known.get(id)?.sinceMs ?? sentMs) > deadAfterMs)
  }

  return { findDead }
}
