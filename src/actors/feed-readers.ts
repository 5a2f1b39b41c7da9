import { setTimeout as sleep } from 'node:timers/promises'
import type { Dependencies } from '../dependencies.ts'
import type { Sql } from '../postgres/connect.ts'

/**
 * Keeps sums of transitions. Its SQL function moves its row of `feed_cursors` in the statement that adds to the sums, so
 * that a transition is added once, whichever process is killed.
 */
export type FeedReader = {
  readonly name: string
  /** Adds the next transitions, at most this many. Returns how many they were. */
  readonly add: (sql: Sql, most: number) => Promise<number>
  /** Deletes sums that are no longer needed. */
  readonly prune?: (sql: Sql) => Promise<void>
}

export type RunningReaders = { stop(): Promise<void> }

const EVERY_MS = 500
const PRUNE_EVERY_MS = 600_000
const PAGE = 5_000

/** Runs readers of the feed. One process at a time adds transitions; `isChosen` keeps the others from asking. */
export const runFeedReaders = (
  { sql, log }: Pick<Dependencies, 'sql' | 'log'>,
  readers: readonly FeedReader[],
  { isChosen, everyMs = EVERY_MS }: { readonly isChosen: () => boolean; readonly everyMs?: number },
): RunningReaders => {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async ({ name, add, prune }: FeedReader): Promise<void> => {
    let prunedAt = performance.now()
    for (let failures = 0; !signal.aborted; ) {
      let added = 0
      try {
        if (isChosen()) added = await add(sql, PAGE)
        if (prune && performance.now() - prunedAt > PRUNE_EVERY_MS) {
          await prune(sql)
          prunedAt = performance.now()
        }
        failures = 0
      } catch (err) {
        if (failures++ === 0) log.error({ err, reader: name }, 'sums of the feed not updated, retrying')
      }
      if (added < PAGE) await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  }
  // Each in a loop of its own, so that none waits for another.
  const running = Promise.all(readers.map(run))
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
