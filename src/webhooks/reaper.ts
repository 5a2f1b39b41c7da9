import type { Actor } from '../actors/kind.ts'
import type { Dependencies } from '../dependencies.ts'
import { uuidv7 } from '../ids.ts'
import { isLockTimeout } from '../postgres/errors.ts'
import {
  endClaims,
  findEnded,
  findLockedDeliveries,
  findLostDeliveries,
  findTime,
  type Records,
  recordAttempts,
} from '../queries/sending.ts'
import { withDatabaseTimeout } from './database-timeout.ts'
import { attemptEndOf, decideEnd, readActor, withoutRequest } from './outcome.ts'
import { openWakeSignal } from './wake-signal.ts'

/**
 * A claimed delivery is sent within 5 s, and its request ends within 15 s more. After that its process must have ended.
 */
export const LEASE_MS = 20_000

const BATCH = 500

const idOf = ({ id }: Actor): string => id

/**
 * Records attempts whose process has ended as `lost`. They count as attempts, because a request may have been sent. If
 * several processes do this at the same time, the second one finds the delivery changed.
 */
export const openReaper = (deps: Dependencies, everyMs = 5_000) => {
  const { sql, clock, random, log } = deps
  const wakeSignal = openWakeSignal()
  let stopped = false

  const reap = async (): Promise<void> => {
    // The clock must agree with the database's: otherwise requests under way could be taken for lost.
    const sentAt = performance.now()
    const databaseNow = await findTime(sql)
    if (databaseNow) clock.learn(databaseNow, performance.now() - sentAt)
    const at = clock.now()
    const before = new Date(at.getTime() - LEASE_MS)
    for (let found = BATCH; found === BATCH && !stopped; ) {
      const lost = (await findLostDeliveries(sql, before, BATCH)).map(readActor)
      found = lost.length
      if (found === 0) break
      log.warn({ attempts: found }, 'lost webhook attempts found')
      // For some, the outcome of the attempt was recorded, but could not be applied because the delivery had changed.
      const ended = new Map((await findEnded(sql, lost.map(idOf))).map(each => [each.id, each]))
      const decided = lost.map(actor => {
        const answer = { ...(ended.get(actor.id) ?? withoutRequest('lost')), retryAfterSeconds: null }
        return decideEnd(actor, attemptEndOf(Number(actor.context.attempts), answer, at, random))
      })
      const recorded = decided.map(each => each.recorded)
      const jobs = [...new Map(decided.flatMap(each => each.jobs.map(job => [job.key, job]))).values()]
      const records = { command: uuidv7(at, random), recorded, jobs, answered: [], finished: [] }
      if (await recordSkippingLocked(records, lost.map(idOf))) break
    }
    await endClaims(sql, before)
  }

  /** Returns whether some deliveries were locked by another transaction. These are skipped until the next round. */
  const recordSkippingLocked = async (records: Records, ids: readonly string[]): Promise<boolean> => {
    try {
      await recordAttempts(sql, records)
      return false
    } catch (err) {
      if (!isLockTimeout(err)) throw err
    }
    const skipped = [...(await findLockedDeliveries(sql, ids))]
    await recordAttempts(sql, { ...records, skipped })
    return true
  }

  const run = async (): Promise<void> => {
    for (let failed = false; !stopped; ) {
      try {
        await withDatabaseTimeout(reap())
        failed = false
      } catch (err) {
        if (!failed) log.warn({ err }, 'recovery of lost webhook attempts failed, retrying')
        failed = true
      }
      await wakeSignal.wait(everyMs)
    }
  }
  const running = run()

  return {
    stop: async () => {
      stopped = true
      wakeSignal.close()
      await running
    },
  }
}
