import type { Dependencies } from '../dependencies.ts'
import type { Actors } from './actors.ts'
import { Unavailable } from './command.ts'
import { openRounds } from './rounds.ts'
import { NewerVersion } from './rows.ts'

/** The part of the timers that this process fires: part `index` of `of` parts, counted from 0. */
export type TimerShare = { readonly index: number; readonly of: number }

export type TimersOptions = {
  readonly pollMs?: number
  readonly batchSize?: number
  /** Called at every poll. If processes disagree for a moment, both fire a timer, and one of the two is refused. */
  readonly share?: () => TimerShare
}

export type Timers = {
  /** Fires the timers that are due now. Returns how many there were. */
  fireDue(): Promise<number>
  /** Starts to fire timers when they are due. */
  start(): void
  /** Stops, after the timers under way have been fired. */
  stop(): Promise<void>
}

/** A timer that is overdue by this much is fired by any process, because its own process may be gone. */
export const ORPHANED_MS = 2_000

/** Timers whose actor was written by a newer version are skipped for this long, then tried again. */
const SKIP_NEWER_MS = 60_000

/** A timer that is due. */
export type Due = { actor: string; name: string; kind: string; generation: number; failures: number }

/**
 * Fires due timers as commands. Timers need not be claimed: the commit that executes the timer's event deletes its row,
 * so a second firing of the same generation is refused as stale.
 */
export const openTimers = (
  deps: Dependencies,
  actors: Actors,
  { pollMs = 200, batchSize = 2_048, share = () => ({ index: 0, of: 1 }) }: TimersOptions = {},
): Timers => {
  /**
   * Actors whose row has a newer version, and until when their timers are skipped, so that they do not block others.
   */
  const newer = new Map<string, number>()

  const fireAll = async (): Promise<{ readonly due: number; readonly gone: number }> => {
    for (const [actor, until] of newer) if (performance.now() >= until) newer.delete(actor)
    const due = await findDue(deps, { kinds: actors.kinds, except: [...newer.keys()], limit: batchSize, ...share() })
    const outcomes = await Promise.all(due.map(timer => fireTimer(deps, actors, timer)))
    for (const { result, actor } of outcomes)
      if (result === 'newer') newer.set(actor, performance.now() + SKIP_NEWER_MS)
    return {
      due: due.length,
      gone: outcomes.filter(({ result }) => result === 'gone' || result === 'postponed').length,
    }
  }

  const rounds = openRounds({
    pollMs,
    round: async () => {
      const { due, gone } = await fireAll()
      // A full batch means that more may be due. Pauses anyway if no timer of the batch could be fired.
      return due === batchSize && gone > 0
    },
    failed: err => deps.log.warn({ err }, 'timers not fired, retrying'),
  })

  return { fireDue: async () => (await fireAll()).due, start: rounds.start, stop: rounds.stop }
}

// Only timers of registered kinds: in a rolling restart other processes may know more kinds.
const findDue = async ({ sql, clock }: Dependencies, { kinds, except, index, of, limit }: DueQuery): Promise<Due[]> => {
  const at = clock.now()
  const ours = sql`
    not planned and test_clock_id is null and kind = any(${kinds as string[]})
    and actor not in (select unnest(${`{${except}}`}::text::uuid[]))`
  const own = await sql<Due[]>`
    select actor, name, kind, generation, failures from timers
    where due_at <= ${at} and ${ours} and (hashtext(actor::text) & 2147483647) % ${of} = ${index}
    order by due_at
    limit ${limit}`
  if (own.length === limit || of === 1) return own
  const orphaned = await sql<Due[]>`
    select actor, name, kind, generation, failures from timers
    where due_at <= ${new Date(at.getTime() - ORPHANED_MS)} and ${ours}
      and (hashtext(actor::text) & 2147483647) % ${of} <> ${index}
    order by due_at
    limit ${limit - own.length}`
  return [...own, ...orphaned]
}

type DueQuery = TimerShare & {
  readonly kinds: readonly string[]
  /** Actors whose timers are skipped. */
  readonly except: readonly string[]
  readonly limit: number
}

type Fired = { readonly actor: string; readonly result: FiringOutcome }

/**
 * `gone`: no longer due. `postponed`: its event failed, and is tried again later. `later`: still due. `newer`: still due, but
 * this version cannot read the actor's row.
 */
type FiringOutcome = 'gone' | 'postponed' | 'later' | 'newer'

/** Fires a timer that is due. It stays due if the database does not answer. */
export const fireTimer = async (deps: Dependencies, actors: Actors, due: Due): Promise<Fired> => {
  const { kind, actor, name } = due
  const result = await tryToFire(deps, actors, due).catch((error): FiringOutcome => {
    // Caught here, so that the other timers of the batch are not affected.
    deps.log.warn({ err: error, kind, actor, timer: name }, 'timer not postponed, retrying')
    return 'later'
  })
  return { actor, result }
}

const tryToFire = async (deps: Dependencies, actors: Actors, due: Due): Promise<FiringOutcome> => {
  const { kind, actor, name, generation } = due
  try {
    const outcome = await actors.dispatch({ kind, actor, timer: { name, generation }, cause: 'timer' })
    // Stale: another process was faster, or the actor has left the state. The row is deleted or armed again.
    if (outcome.ok || outcome.refusal === 'stale') return 'gone'
    deps.log.error(
      { kind, actor, timer: name, refusal: outcome.refusal },
      'timer event refused by its actor, postponed',
    )
  } catch (error) {
    if (error instanceof Unavailable) return 'later'
    if (error instanceof Error && error.cause instanceof NewerVersion) return 'newer'
    deps.log.error({ err: error, kind, actor, timer: name }, 'timer event failed, postponed')
  }
  await postpone(deps, due)
  return 'postponed'
}

/**
 * A timer that cannot be fired must not block the timers after it. One of a test clock and a planned one stay due, because what
 * is due later must wait for them: of the clock, or of the same actor.
 */
export const postpone = async (
  { sql, clock }: Dependencies,
  { actor, name, generation, failures }: Due,
): Promise<void> => {
  const next = (longestMs: number) => new Date(clock.now().getTime() + Math.min(1_000 * 2 ** failures, longestMs))
  await sql`
    update timers set failures = failures + 1,
      due_at = case when test_clock_id is null and not planned then ${next(3_600_000)} else due_at end,
      retry_at = case when test_clock_id is not null or planned then ${next(60_000)}::timestamptz end
    where actor = ${actor} and name = ${name} and generation = ${generation}`
}
