import type { Sql } from '../postgres/connect.ts'
import { judgeError } from '../postgres/errors.ts'

/** After trouble on it its work goes elsewhere for so long: it may be the connection's own. */
const REST_MS = 5_000

/** One connection on which a commit is sent before the answer to the one before it has come: it follows that one. */
export type Tandem = {
  readonly sql: Sql
  /** Passes the answer on. */
  follow<T>(asked: Promise<T>): Promise<T>
  /** Whether a commit would be done in time: nothing has waited on it for long, and there was no trouble. */
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
 * come back together, and the database is idle while the callers of both are answered.
 */
export const openTandem = (sql: Sql, { lateMs, now }: TandemOptions): Tandem => {
  const sent = new Map<Promise<unknown>, number>()
  let restsUntil = Number.NEGATIVE_INFINITY

  return {
    sql,
    follow: async asked => {
      sent.set(asked, now())
      try {
        return await asked
      } catch (error) {
        if (judgeError(error) !== 'final') restsUntil = now() + REST_MS
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
