import { explainEvents } from '../../actors/explain.ts'
import type { Actor, Kind } from '../../actors/kind.ts'
import type { ActorRow } from '../../actors/rows.ts'
import { testClockOf } from '../../actors/test-clocks.ts'
import { uncountedStates } from '../../kinds/definition.ts'
import type { Sql } from '../../postgres/connect.ts'
import { readerOf } from '../actors.ts'
import { findCustomerTime } from '../test-clocks.ts'
import { type ArmedTimer, listJobs } from './actors.ts'
import { countStays, percentileMs, readStays, type Stays } from './machines.ts'

/**
 * `dwell`: the actor has been in the state for longer than nearly all stays of the last 30 days. `no_exit`: no timer is
 * armed, no job is queued, and the machine takes no event that can be sent. `timer_failing`: the event of a timer fails again
 * and again. A test clock waits for such a timer.
 */
export const stuckReasons = ['dwell', 'no_exit', 'timer_failing'] as const
export type StuckReason = (typeof stuckReasons)[number]

export type StuckActor = {
  readonly kind: string
  readonly id: string
  readonly state: string
  readonly since: Date
  readonly reason: StuckReason
}

/** Of each state. */
const MOST_LOOKED_AT = 1_000

/** Fewer stays say too little about what is normal. */
const LEAST_STAYS = 1_000
const NEARLY_ALL = 0.999

/** By kind, the states that are judged: see `drivenStates`. */
export type DrivenStates = Readonly<Record<string, readonly string[]>>

/** The actors that are stuck, those for the longest time first; `limit` of each state and reason. */
export const findStuck = async (
  sql: Sql,
  kinds: readonly Kind[],
  { driven, limit }: { readonly driven: DrivenStates; readonly limit: number },
): Promise<readonly StuckActor[]> => {
  const stays = await readStays(sql, '30d')
  const found = await Promise.all(
    kinds.flatMap(kind => [
      findFailing(sql, kind, limit),
      ...judgedStates(kind, driven).flatMap(state => {
        const longestMs = longestOf(stays, kind.name, state)
        return [
          ...(longestMs === undefined ? [] : [findDwelling(sql, { kind, state, longestMs, limit })]),
          ...(isAlwaysOpen(kind, state) ? [] : [findWithoutExit(sql, { kind, state, limit })]),
        ]
      }),
    ]),
  )
  return found.flat().sort((a, b) => a.since.getTime() - b.since.getTime())
}

/** Without states whose actors the history does not determine: how long they stay is not known. */
const judgedStates = (kind: Kind, driven: DrivenStates): readonly string[] => {
  const uncounted = uncountedStates(kind)
  return (driven[kind.name] ?? []).filter(state => !uncounted.includes(state))
}

/** Undefined if too few stays have ended. */
const longestOf = (stays: readonly Stays[], kind: string, state: string): number | undefined => {
  const known = stays.find(each => each.kind === kind && each.state === state)
  return known && countStays(known) >= LEAST_STAYS ? percentileMs(known, NEARLY_ALL) : undefined
}

type InState = { readonly kind: Kind; readonly state: string; readonly limit: number }

/**
 * If there are more than the limit, those that have not changed for the longest time: reading the history of thousands would
 * take as long.
 */
const findDwelling = (sql: Sql, { kind, state, longestMs, limit }: InState & { readonly longestMs: number }) => {
  // A literal, so that the planner uses the partial index of the state.
  const literal = sql.unsafe(`'${state}'`)
  return sql<StuckActor[]>`
    select ${kind.name}::text as kind, id, state, since, 'dwell' as reason
    from (
      select t.id, t.state, entered.at as since
      from (
        select id, state from ${sql(kind.table)}
        where state = ${literal} and created_at < now() - ${longestMs} * interval '1 ms'
        order by updated_at limit ${MOST_LOOKED_AT}) t
      cross join lateral (
        select at from transitions e
        where e.actor = t.id and e.to_state = t.state and e.from_state is distinct from e.to_state
        order by e.rev desc limit 1) entered
      where entered.at < now() - ${longestMs} * interval '1 ms'
      limit ${limit}) stuck
    order by since`
}

/** The first three failures are over within seconds, such as those of a deployment. */
const MANY_FAILURES = 3

/** By the predicate of the index `timers_failing`. */
const findFailing = (sql: Sql, kind: Kind, limit: number) => sql<StuckActor[]>`
  select ${kind.name}::text as kind, t.id, t.state, coalesce(entered.at, t.created_at) as since, 'timer_failing' as reason
  from ${sql(kind.table)} t
  left join lateral (
    select at from transitions e
    where e.actor = t.id and e.to_state = t.state and e.from_state is distinct from e.to_state
    order by e.rev desc limit 1) entered on true
  where t.id in (select actor from timers where failures >= ${sql.unsafe(String(MANY_FAILURES))} and kind = ${kind.name})
  order by since
  limit ${limit}`

/** Whether every actor in the state can take some event, so that none has to be looked at. */
const isAlwaysOpen = ({ machine }: Kind, state: string): boolean =>
  [...(machine.states[state]?.transitions.values() ?? [])].some(transitions =>
    transitions.some(({ guard, eventType }) => guard === undefined && !eventType.startsWith('xstate.after.')),
  )

const findWithoutExit = async (sql: Sql, { kind, state, limit }: InState): Promise<readonly StuckActor[]> => {
  const literal = sql.unsafe(`'${state}'`)
  const rows = await sql<ActorRow[]>`
    select t.* from ${sql(kind.table)} t
    where t.state = ${literal} and not exists (select from timers m where m.actor = t.id)
    order by t.id
    limit ${MOST_LOOKED_AT}`
  const read = readerOf(kind)
  const closed: StuckActor[] = []
  for (const row of rows) {
    const actor = read(row)
    if (closed.length === limit) break
    if (await hasExit(sql, kind, actor)) continue
    closed.push({ kind: kind.name, id: actor.id, state, since: await findEntry(sql, actor), reason: 'no_exit' })
  }
  return closed
}

/** Of an actor without timers. */
const hasExit = async (sql: Sql, kind: Kind, actor: Actor): Promise<boolean> => {
  const at = await findCustomerTime({ sql, clock: { now: () => new Date() } }, testClockOf(kind, actor.context))
  const events = explainEvents(kind, actor, at).filter(({ event }) => !event.startsWith('after.'))
  return events.some(({ isOpen }) => isOpen) || (await listJobs(sql, { kind, actor })).length > 0
}

/** When the actor entered its state. */
const findEntry = async (sql: Sql, { id, state, createdAt }: Actor): Promise<Date> => {
  const [row] = await sql<{ at: Date }[]>`
    select at from transitions
    where actor = ${id} and to_state = ${state} and from_state is distinct from to_state
    order by rev desc limit 1`
  return row?.at ?? createdAt
}

/** The same for one actor. */
export const judgeActor = async (
  sql: Sql,
  kind: Kind,
  actor: Actor,
  { driven, timers }: { readonly driven: DrivenStates; readonly timers: readonly ArmedTimer[] },
): Promise<Pick<StuckActor, 'since' | 'reason'> | null> => {
  if (timers.some(({ failures }) => failures >= MANY_FAILURES))
    return { since: await findEntry(sql, actor), reason: 'timer_failing' }
  if (!judgedStates(kind, driven).includes(actor.state)) return null
  const [since, stays] = await Promise.all([findEntry(sql, actor), readStays(sql, '30d')])
  const longestMs = longestOf(stays, kind.name, actor.state)
  if (longestMs !== undefined && Date.now() - since.getTime() > longestMs) return { since, reason: 'dwell' }
  return timers.length > 0 || (await hasExit(sql, kind, actor)) ? null : { since, reason: 'no_exit' }
}
