import { setTimeout as sleep } from 'node:timers/promises'
import type { Outside } from '../outside.ts'
import type { Actors } from './actors.ts'
import { Unavailable } from './command.ts'
import { NewerVersion } from './rows.ts'

/** Which part of the timers this process fires: one of `of`, counted from 0. */
export type TimerShare = { readonly index: number; readonly of: number }

export type TimersOptions = {
  readonly pollMs?: number
  readonly batchSize?: number
  /** Asked at every round. Processes that disagree for a moment fire a timer twice at worst, which one of them loses. */
  readonly share?: () => TimerShare
}

export type Timers = {
  /** Fires what is due now; answers how many timers that were. */
  fireDue(): Promise<number>
  /** Fires due timers from now on, whenever there are any. */
  start(): void
  /** Ends that once what it is firing is done. */
  stop(): Promise<void>
}

/** Overdue by this much, a timer is fired by whoever sees it: its own process may be gone. */
const ORPHANED_MS = 2_000

/** For so long a timer is passed over that a newer process has armed: it may be gone again, and this one updated. */
const PASSED_OVER_MS = 60_000

type Due = { actor: string; name: string; kind: string; generation: number; failures: number }

/**
 * Fires due timers as commands. There is no claim to lose: a timer's row leaves in the commit that
 * takes its event, and a second firing of the same generation finds the row gone.
 */
export const openTimers = (
  outside: Outside,
  actors: Actors,
  { pollMs = 200, batchSize = 2_048, share = () => ({ index: 0, of: 1 }) }: TimersOptions = {},
): Timers => {
  /** Actors whose timers are a newer process's, until when: nobody else's are to stand behind theirs. */
  const newer = new Map<string, number>()

  const fireAll = async (): Promise<{ readonly due: number; readonly gone: number }> => {
    for (const [actor, until] of newer) if (performance.now() >= until) newer.delete(actor)
    const due = await findDue(outside, { kinds: actors.kinds, but: [...newer.keys()], limit: batchSize, ...share() })
    const fates = await Promise.all(due.map(timer => fire(outside, actors, timer)))
    for (const { fate, actor } of fates) if (fate === 'newer') newer.set(actor, performance.now() + PASSED_OVER_MS)
    return { due: due.length, gone: fates.filter(({ fate }) => fate === 'gone').length }
  }

  const stopping = new AbortController()
  let running: Promise<void> | undefined
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const { due, gone } = await fireAll().catch(error => {
        outside.log.warn({ err: error }, 'timers not fired, retrying')
        return { due: 0, gone: 0 }
      })
      // More may be due, unless there was no getting on with these.
      if (due < batchSize || gone === 0) await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  return {
    fireDue: async () => (await fireAll()).due,
    start: () => {
      running ??= loop()
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

// Of its own kinds only: in a rolling restart there may be others, which the other processes fire.
const findDue = async ({ sql, clock }: Outside, { kinds, but, index, of, limit }: Wanted): Promise<Due[]> => {
  const at = clock.now()
  const ours = sql`kind = any(${kinds as string[]}) and actor not in (select unnest(${`{${but}}`}::text::uuid[]))`
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

type Wanted = TimerShare & {
  readonly kinds: readonly string[]
  /** Actors that are passed over. */
  readonly but: readonly string[]
  readonly limit: number
}

type Fired = { readonly actor: string; readonly fate: Fate }

/** `gone`: due no more, or not now. `later`: it still is. `newer`: it still is, and none that this version can fire. */
type Fate = 'gone' | 'later' | 'newer'

const fire = async (outside: Outside, actors: Actors, due: Due): Promise<Fired> => {
  const { kind, actor, name } = due
  const fate = await tryToFire(outside, actors, due).catch((error): Fate => {
    // Of the others of its batch none waits for that.
    outside.log.warn({ err: error, kind, actor, timer: name }, 'timer not postponed, retrying')
    return 'later'
  })
  return { actor, fate }
}

const tryToFire = async (outside: Outside, actors: Actors, due: Due): Promise<Fate> => {
  const { kind, actor, name, generation } = due
  try {
    const outcome = await actors.dispatch({ kind, actor, timer: { name, generation }, cause: 'timer' })
    // Stale: another process was faster, or its state was left meanwhile. The row is gone or renewed.
    if (outcome.ok || outcome.refusal === 'stale') return 'gone'
    outside.log.error(
      { kind, actor, timer: name, refusal: outcome.refusal },
      'timer event refused by its actor, postponed',
    )
  } catch (error) {
    if (error instanceof Unavailable) return 'later'
    if (error instanceof Error && error.cause instanceof NewerVersion) return 'newer'
    outside.log.error({ err: error, kind, actor, timer: name }, 'timer event failed, postponed')
  }
  await postpone(outside, due)
  return 'gone'
}

/** A timer that cannot be fired must not stand before the others for ever. */
const postpone = async ({ sql, clock }: Outside, { actor, name, generation, failures }: Due): Promise<void> => {
  const backoffMs = Math.min(1_000 * 2 ** failures, 3_600_000)
  await sql`
    update timers set failures = failures + 1, due_at = ${new Date(clock.now().getTime() + backoffMs)}
    where actor = ${actor} and name = ${name} and generation = ${generation}`
}
