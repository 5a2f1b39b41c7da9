import { openRounds } from '../actors/rounds.ts'
import type { Services } from '../actors/services.ts'
import { type Due, fireTimer } from '../actors/timers.ts'
import { passInvoiceTimesOf } from '../chain/watch/invoice-times.ts'
import { listWorkingClocks, moveTestClock } from '../queries/test-clocks.ts'
import type { WorkerShare } from '../workers/share.ts'

type Options = {
  readonly share: WorkerShare
  readonly passes?: readonly ClockPass[]
  readonly pollMs?: number
  readonly batchSize?: number
}

/**
 * Applies what is due by a clock and is more than firing a timer, such as planned timers of a kind. Returns how many things
 * it has applied. What it must leave for later keeps its timer, or is found by test_clock_waits() in
 * sql/120-test-clocks-functions.sql: so the clock waits for it.
 */
export type ClockPass = (services: Services, testClockId: string) => Promise<number>

export type TestClockRunner = {
  /** Applies what is due by the clocks now, and returns how many have work left. */
  runOnce(): Promise<number>
  start(): void
  stop(): Promise<void>
}

/** Clocks that are looked at in one round. The next round begins behind the last of them. */
const MOST_CLOCKS = 20

/** Steps of one clock in a round: then the others have their turn. */
const MOST_STEPS = 100

/** Live timers go first while more than this many are late by this much. One that fails is late for long. */
const LATE_TIMERS = 250
const LATE_MS = 1_000

/** Clocks that stand still have work only if something was armed with a time that was over, so they are looked at every so many rounds. */
const ROUNDS_FOR_READY = 5

/**
 * Advances test clocks: fires what is due at the time of a clock, then moves the clock to the next due time, until it has
 * arrived. Everything that it decides with is in the database, and every step is refused or without effect when it is repeated.
 * So a process that is killed leaves the rest to any other one, and two processes can advance the same clock.
 *
 * A lane of its own, in parallel with the live timers: it fires small batches and pauses while many live timers are late.
 */
export const runTestClocks = (
  services: Services,
  { share, passes = [passInvoiceTimesOf], pollMs = 200, batchSize = 250 }: Options,
): TestClockRunner => {
  /** Whether the clock has work left. */
  const advance = async (id: string): Promise<boolean> => {
    for (let step = 0; step < MOST_STEPS; step++) {
      if (rounds.stopping.aborted || (await areLiveTimersLate(services))) break
      let applied = await fireDue(services, id, batchSize)
      for (const pass of passes) applied += await pass(services, id)
      if (applied > 0) continue
      const { outcome, target } = await moveTestClock(services.sql, id)
      // It waits for a payment that is `processing`, or for a timer that has failed.
      if (outcome === 'waiting') return true
      if (outcome !== 'moved') {
        if (outcome === 'arrived')
          await services.actors.dispatch({
            ...{ kind: 'test_clock', actor: id, event: { type: 'arrive', to: target }, cause: 'timer' },
          })
        return false
      }
    }
    return true
  }

  /** The last clock of the round before it, if there were more. */
  let after: string | undefined

  const runOnce = async (withReady = true): Promise<number> => {
    const working = await listWorkingClocks(services.sql, { after, withReady, limit: MOST_CLOCKS })
    after = working.length === MOST_CLOCKS ? working.at(-1)?.id : undefined
    let left = 0
    for (const { id } of working)
      try {
        if (await advance(id)) left++
      } catch (err) {
        // A clock that fails does not hold up the others.
        services.log.warn({ err, testClock: id }, 'test clock not advanced, retrying')
        left++
      }
    return left
  }

  let round = 0
  const rounds = openRounds({
    pollMs,
    round: async () => {
      if (share().position === 0) await runOnce(round++ % ROUNDS_FOR_READY === 0)
      return false
    },
    failed: err => services.log.warn({ err }, 'test clocks not advanced, retrying'),
  })
  return { runOnce: () => runOnce(), start: rounds.start, stop: rounds.stop }
}

/** Fires timers that are due at the earliest time for which there are any. Returns how many are no longer due. */
const fireDue = async (services: Services, testClockId: string, limit: number): Promise<number> => {
  const { sql, actors, clock } = services
  const due = await sql<Due[]>`
    select actor, name, kind, generation, failures from timers
    where test_clock_id = ${testClockId} and not planned and kind = any(${actors.kinds as string[]})
      and due_at = (
        select min(t.due_at) from timers t join test_clocks c on c.id = t.test_clock_id
        where t.test_clock_id = ${testClockId} and t.due_at <= c.now and c.state <> 'deleted')
      and (retry_at is null or retry_at <= ${clock.now()})
    limit ${limit}`
  const fired = await Promise.all(due.map(timer => fireTimer(services, actors, timer)))
  return fired.filter(({ result }) => result === 'gone').length
}

const areLiveTimersLate = async ({ sql, clock }: Services): Promise<boolean> => {
  const before = new Date(clock.now().getTime() - LATE_MS)
  const [row] = await sql<{ late: boolean }[]>`
    select exists (select from timers where not planned and test_clock_id is null and due_at < ${before} offset ${LATE_TIMERS} limit 1) as late`
  return row?.late === true
}
