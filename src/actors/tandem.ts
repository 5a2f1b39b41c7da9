import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../postgres/connect.ts'
import { judgeError } from '../postgres/errors.ts'
import type { Outside } from '../world.ts'

/** After trouble on it its work goes elsewhere for so long: it may be the connection's own. */
const REST_MS = 5_000

/** Whoever waits for it gives up when its patience is over. */
const TRIES_TO_END = 100

/** One connection on which a commit is sent before the answer to the one before it has come: it follows that one. */
export type Tandem = {
  readonly sql: Sql
  /** Passes the answer on. */
  follow<T>(asked: Promise<T>): Promise<T>
  /** False when something waits on it for long, or there was trouble a moment ago. */
  isFit(): boolean
}

type TandemOptions = {
  /** What has waited for so long may wait for a lock of somebody else's. */
  readonly lateMs: number
  readonly now: () => number
}

/**
 * The other way is beside each other, on two connections of the pool. See trial.ts for when which is better. Where this
 * program shares two cores with its database, two commits beside each other take longer than one behind the other: they
 * come back together, and the database is idle while the callers of both are answered. It is a pool of one that was
 * opened with `followed`.
 */
export const openTandem = (tandem: Sql, { sql, log }: Outside, { lateMs, now }: TandemOptions): Tandem => {
  const sent = new Map<Promise<unknown>, number>()
  let restsUntil = Number.NEGATIVE_INFINITY
  let ending: Promise<void> | undefined

  const rest = (error: unknown): void => {
    if (now() >= restsUntil) log.warn({ err: error }, 'commits go beside each other for a while')
    restsUntil = now() + REST_MS
  }

  const endBackend = async (): Promise<void> => {
    const name = tandem.options.connection.application_name ?? ''
    // The pool may have lost its connections, too. While it has none, nothing can be tried again elsewhere either.
    for (let tries = 0; tries < TRIES_TO_END; tries++) {
      try {
        await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = ${name}`
        return
      } catch {
        await sleep(50)
      }
    }
  }

  /**
   * What was sent and not begun is tried again elsewhere, and may be refused there: it must not be carried out after
   * that. The server may not know that this end is gone, so its end is ended first.
   */
  const ended = (): Promise<void> => {
    ending ??= endBackend().finally(() => {
      ending = undefined
    })
    return ending
  }

  return {
    sql: tandem,
    follow: async asked => {
      sent.set(asked, now())
      try {
        return await asked
      } catch (error) {
        const judged = judgeError(error)
        if (judged !== 'final') rest(error)
        if (judged === 'lost') await ended()
        throw error
      } finally {
        sent.delete(asked)
      }
    },
    isFit: () => {
      if (now() < restsUntil) return false
      const late = now() - lateMs
      for (const since of sent.values()) if (since <= late) return false
      return true
    },
  }
}
