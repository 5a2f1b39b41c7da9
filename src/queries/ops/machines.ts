import type { Kind } from '../../actors/kind.ts'
import { uncountedStates } from '../../kinds/definition.ts'
import type { Sql } from '../../postgres/connect.ts'
import type { Fragment } from '../list-rows.ts'

/** How far back flows and durations go, in hours, and the shortest spans of their sums that are read. */
const windows = {
  '1h': { hours: 1, flows: 'minute', stays: 'minute' },
  '24h': { hours: 24, flows: 'hour', stays: 'hour' },
  '7d': { hours: 168, flows: 'hour', stays: 'day' },
  '30d': { hours: 720, flows: 'hour', stays: 'day' },
} as const

export type MachineWindow = keyof typeof windows
export const machineWindows = Object.keys(windows) as readonly MachineWindow[]

export type StateCount = { readonly kind: string; readonly state: string; readonly actors: number }

/**
 * The number of actors in each state, at one moment. States that the history does not determine are counted in the
 * table.
 */
export const countStates = (sql: Sql, kinds: readonly Kind[]): Promise<StateCount[]> => {
  const uncounted = kinds.flatMap(kind => uncountedStates(kind).map(state => ({ kind, state })))
  const isUncounted = JSON.stringify(uncounted.map(({ kind, state }) => ({ kind: kind.name, state })))
  return sql<StateCount[]>`
    select kind, state, actors::float8 as actors from count_states()
    where (kind, state) not in (
      select kind, state from json_to_recordset(${isUncounted}::text::json) as r(kind text, state text))
    ${uncounted.length === 0 ? sql`` : uncounted.map(each => sql`union all ${countIn(sql, each)}`)}`
}

const countIn = (sql: Sql, { kind, state }: { readonly kind: Kind; readonly state: string }): Fragment => {
  // Few, and no index has them: the deliveries that are being sent are in claims.
  const sending = sql`
    select 'delivery', 'sending', count(distinct d.id)::float8
    from delivery_claims c cross join unnest(c.deliveries) as claimed(id) join deliveries d on d.id = claimed.id
    where d.state = 'sending'`
  if (kind.name === 'delivery' && state === 'sending') return sending
  // A literal, so that the planner uses the partial index of the state.
  const literal = sql.unsafe(`'${state}'`)
  return sql`select ${kind.name}::text, ${literal}::text, count(*)::float8 from ${sql(kind.table)} where state = ${literal}`
}

export type Flow = { readonly kind: string; readonly from: string; readonly to: string; readonly taken: number }

/** How often each arrow was taken. Windows begin at a whole minute or hour. A longer one is not read from more rows. */
export const readFlows = (sql: Sql, window: MachineWindow): Promise<Flow[]> => {
  const { hours, flows } = windows[window]
  return sql<Flow[]>`
    select kind, from_state as "from", to_state as "to", sum(taken)::float8 as taken
    from spans_since(now() - ${hours} * interval '1 hour', ${flows})
    join machine_flows using (span, starts_at)
    group by kind, from_state, to_state`
}

/** The finished stays in a state, by class of duration in increasing order. */
export type Stays = {
  readonly kind: string
  readonly state: string
  readonly durations: readonly (readonly [duration: number, stays: number])[]
}

export const readStays = (sql: Sql, window: MachineWindow): Promise<Stays[]> => {
  const { hours, stays } = windows[window]
  // Materialized, or the planner sorts all rows by text for the order of the classes: 55 ms instead of 24 for 45,000 rows.
  return sql<Stays[]>`
    with classes as materialized (
      select kind, state, duration, sum(stays) as stays
      from spans_since(now() - ${hours} * interval '1 hour', ${stays})
      join machine_stays using (span, starts_at)
      group by kind, state, duration)
    select kind, state, json_agg(json_build_array(duration, stays) order by duration) as durations
    from classes
    group by kind, state`
}

export const countStays = ({ durations }: Stays): number => durations.reduce((sum, [, stays]) => sum + stays, 0)

/** The duration in milliseconds that this part of the stays does not exceed, within 5 %. */
export const percentileMs = (stays: Stays, part: number): number => {
  const wanted = countStays(stays) * part
  let passed = 0
  for (const [duration, count] of stays.durations) {
    passed += count
    if (passed >= wanted) return Math.round(1.1 ** duration - 1)
  }
  return 0
}
