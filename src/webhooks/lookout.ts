import type { Outside } from '../outside.ts'
import { type DueEndpoint, findDueBetween, findDueEndpoints } from '../queries/sending.ts'
import { openBell } from './bell.ts'
import { withDatabaseTimeout } from './database-timeout.ts'

export type LookoutOptions = {
  readonly lookMs?: number
  readonly sweepMs?: number
}

/** A commit carries the time at which it was decided on, and may be seen this much later. */
const LATE_MS = 500

/** What comes due this soon is noted ahead, so that nobody has to look at the very moment. */
const AHEAD_MS = 300

const LONGEST_REST_MS = 10

/**
 * Finds the endpoints with something due, whoever has made it so: what has become due since the last look, every
 * fifth of a second or when called; and all there is every five seconds, in case a commit took longer or time
 * has jumped.
 */
export const openLookout = (
  { sql, clock, log }: Pick<Outside, 'sql' | 'clock' | 'log'>,
  found: (endpoint: DueEndpoint) => void,
  { lookMs = 200, sweepMs = 5_000 }: LookoutOptions = {},
) => {
  const looks = openBell()
  const sweeps = openBell()
  let stopped = false
  let seenUntil = clock.now().getTime()

  const look = async (): Promise<void> => {
    const asked = performance.now()
    const now = clock.now().getTime()
    const { now: told, endpoints } = await withDatabaseTimeout(
      findDueBetween(sql, new Date(Math.min(seenUntil, now) - LATE_MS), new Date(now + AHEAD_MS)),
    )
    seenUntil = now
    // A process that only sends commits nothing through the actors, and hears of the database's time nowhere else.
    if (told) clock.learn(told, performance.now() - asked)
    for (const endpoint of endpoints) found(endpoint)
  }

  const sweep = async (): Promise<void> => {
    for (const endpoint of await withDatabaseTimeout(findDueEndpoints(sql, clock.now()))) found(endpoint)
  }

  const repeat = async (work: () => Promise<void>, pause: (tookMs: number) => Promise<void>): Promise<void> => {
    for (let failed = false; !stopped; ) {
      const startedAt = performance.now()
      try {
        await work()
        failed = false
      } catch (err) {
        if (!failed) log.warn({ err }, 'search for due webhooks failed, retrying')
        failed = true
      }
      await pause(performance.now() - startedAt)
    }
  }

  const running = Promise.all([
    repeat(look, async tookMs => {
      // Commits that follow on each other share looks, which take a fifth of the time, unless they take long.
      await looks.rest(Math.min(4 * tookMs, LONGEST_REST_MS))
      await looks.wait(lookMs)
    }),
    // However much there is to go through, a twentieth of the time is enough for it.
    repeat(sweep, tookMs => sweeps.wait(Math.max(sweepMs, 20 * tookMs))),
  ])

  return {
    /** Somebody has committed something: look at once. */
    call: looks.ring,
    stop: async () => {
      stopped = true
      looks.close()
      sweeps.close()
      await running
    },
  }
}
