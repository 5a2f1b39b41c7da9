import type { Actor } from '../actors/kind.ts'
import { uuidv7 } from '../ids.ts'
import type { Outside } from '../outside.ts'
import { isLockedOut } from '../postgres/errors.ts'
import {
  endClaims,
  findEnded,
  findLockedDeliveries,
  findLostDeliveries,
  findTime,
  type Records,
  recordAttempts,
} from '../queries/sending.ts'
import { openBell } from './bell.ts'
import { withDatabaseTimeout } from './database-timeout.ts'
import { decideEnd, endOf, readActor, unsent } from './outcome.ts'

/** What was taken up is begun within 5 s and over within 15 s more, or whoever has it is gone. */
export const LEASE_MS = 20_000

const BATCH = 500

const idOf = ({ id }: Actor): string => id

/**
 * Ends the attempts of those who died over them. They count: nobody knows what was sent. Several may do it at once,
 * and whoever comes second finds the delivery changed.
 */
export const openReaper = (outside: Outside, everyMs = 5_000) => {
  const { sql, clock, random, log } = outside
  const bell = openBell()
  let stopped = false

  const reap = async (): Promise<void> => {
    // By a time that is not the database's any more, requests under way would be lost.
    const asked = performance.now()
    const told = await findTime(sql)
    if (told) clock.learn(told, performance.now() - asked)
    const at = clock.now()
    const before = new Date(at.getTime() - LEASE_MS)
    for (let found = BATCH; found === BATCH && !stopped; ) {
      const lost = (await findLostDeliveries(sql, before, BATCH)).map(readActor)
      found = lost.length
      if (found === 0) break
      log.warn({ attempts: found }, 'lost webhook attempts found')
      // Some have ended, and whoever wrote that down had no time left to tell the delivery, which had moved on.
      const ended = new Map((await findEnded(sql, lost.map(idOf))).map(each => [each.id, each]))
      const decided = lost.map(actor => {
        const answer = { ...(ended.get(actor.id) ?? unsent('lost')), retryAfterSeconds: null }
        return decideEnd(actor, endOf(Number(actor.context.attempts), answer, at, random))
      })
      const recorded = decided.map(each => each.recorded)
      const jobs = [...new Map(decided.flatMap(each => each.jobs.map(job => [job.key, job]))).values()]
      const records = { command: uuidv7(at, random), recorded, jobs, answered: [], finished: [] }
      if (await recordAround(records, lost.map(idOf))) break
    }
    await endClaims(sql, before)
  }

  /** Answers whether some are locked by another transaction: they are left for the next round, or found again at once. */
  const recordAround = async (records: Records, ids: readonly string[]): Promise<boolean> => {
    try {
      await recordAttempts(sql, records)
      return false
    } catch (err) {
      if (!isLockedOut(err)) throw err
    }
    const around = [...(await findLockedDeliveries(sql, ids))]
    await recordAttempts(sql, { ...records, around })
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
      await bell.wait(everyMs)
    }
  }
  const running = run()

  return {
    stop: async () => {
      stopped = true
      bell.close()
      await running
    },
  }
}
