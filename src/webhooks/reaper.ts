import { uuidv7 } from '../ids.ts'
import { endClaims, findLostDeliveries, recordAttempts } from '../queries/sending.ts'
import type { Outside } from '../world.ts'
import { openBell } from './bell.ts'
import { inTime } from './in-time.ts'
import { decideEnd, endOf, readActor, unsent } from './outcome.ts'

/** What was taken up is begun within 5 s and over within 15 s more, or whoever has it is gone. */
export const LEASE_MS = 20_000

const BATCH = 500

/**
 * Ends the attempts of those who died over them. They count: nobody knows what was sent. Several may do it at once,
 * and whoever comes second finds the delivery changed.
 */
export const openReaper = (outside: Outside, everyMs = 5_000) => {
  const { sql, clock, random, log } = outside
  const bell = openBell()
  let stopped = false

  const reap = async (): Promise<void> => {
    const at = clock.now()
    const before = new Date(at.getTime() - LEASE_MS)
    for (let found = BATCH; found === BATCH && !stopped; ) {
      const lost = (await findLostDeliveries(sql, before, BATCH)).map(readActor)
      found = lost.length
      const decided = lost.map(actor =>
        decideEnd(actor, endOf(Number(actor.context.attempts), unsent('lost'), at, random)),
      )
      if (found > 0) log.warn({ attempts: found }, 'attempts were lost with whoever had them')
      const recorded = decided.map(each => each.recorded)
      const jobs = [...new Map(decided.flatMap(each => each.jobs.map(job => [job.key, job]))).values()]
      if (found > 0)
        await recordAttempts(sql, { command: uuidv7(at, random), recorded, jobs, answered: [], finished: [] })
    }
    await endClaims(sql, before)
  }

  const run = async (): Promise<void> => {
    for (let failed = false; !stopped; ) {
      try {
        await inTime(reap())
        failed = false
      } catch (err) {
        if (!failed) log.warn({ err }, 'lost attempts cannot be ended, trying again')
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
