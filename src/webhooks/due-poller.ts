import type { Dependencies } from '../dependencies.ts'
import { type DueEndpoint, findDueBetween, findDueEndpoints } from '../queries/sending.ts'
import { withDatabaseTimeout } from './database-timeout.ts'
import { openWakeSignal } from './wake-signal.ts'

export type DuePollerOptions = {
  readonly pollMs?: number
  readonly sweepMs?: number
}

/** A commit can become visible this long after the time written in its rows. */
const LATE_MS = 500

/** Deliveries that become due so soon are found ahead of time, so that they can be sent exactly when they are due. */
const AHEAD_MS = 300

const MAX_REST_MS = 10

/**
 * Finds endpoints with due deliveries. Polls for what has become due since the last poll, and what will within 300 ms, every 200 ms or when called.
 * Every five seconds it searches for everything that is due, in case a commit took longer or the clock has jumped.
 */
export const openDuePoller = (
  { sql, clock, log }: Pick<Dependencies, 'sql' | 'clock' | 'log'>,
  onDue: (endpoint: DueEndpoint) => void,
  { pollMs = 200, sweepMs = 5_000 }: DuePollerOptions = {},
) => {
  const pollSignal = openWakeSignal()
  const sweepSignal = openWakeSignal()
  let stopped = false
  let seenUntil = clock.now().getTime()

  const poll = async (): Promise<void> => {
    const sentAt = performance.now()
    const now = clock.now().getTime()
    const { now: databaseNow, endpoints } = await withDatabaseTimeout(
      findDueBetween(sql, new Date(Math.min(seenUntil, now) - LATE_MS), new Date(now + AHEAD_MS)),
    )
    seenUntil = now
    // Otherwise the clock is adjusted from commits, and a process that only sends webhooks makes none.
    if (databaseNow) clock.learn(databaseNow, performance.now() - sentAt)
    for (const endpoint of endpoints) onDue(endpoint)
  }

  const sweep = async (): Promise<void> => {
    for (const endpoint of await withDatabaseTimeout(findDueEndpoints(sql, clock.now()))) onDue(endpoint)
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
    repeat(poll, async tookMs => {
      // Commits in quick succession share a poll: polling takes at most a fifth of the time, but the pause is at most 10 ms.
      await pollSignal.rest(Math.min(4 * tookMs, MAX_REST_MS))
      await pollSignal.wait(pollMs)
    }),
    // Sweeps take at most a twentieth of the time, however long one takes.
    repeat(sweep, tookMs => sweepSignal.wait(Math.max(sweepMs, 20 * tookMs))),
  ])

  return {
    pollNow: pollSignal.wake,
    stop: async () => {
      stopped = true
      pollSignal.close()
      sweepSignal.close()
      await running
    },
  }
}
