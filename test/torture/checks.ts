import { registered } from '../../src/actors/kind.ts'
import { audit } from '../../src/audit/audit.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { checkLamps } from './check-lamps.ts'
import { checkOperations } from './check-operations.ts'
import { checkOrder } from './check-order.ts'
import type { Followed } from './feed-follower.ts'
import type { History } from './history.ts'
import { timedLamp } from './kind.ts'
import { readStored, type Stored } from './stored.ts'

/** The broken promises, checked when the faults have ended and nothing is in progress. */
export const findBroken = async (
  sql: Sql,
  history: History,
  feeds: readonly (readonly Followed[])[],
): Promise<string[]> => {
  const stored = await readStored(sql)
  return [
    ...checkOperations(history, stored),
    ...checkOrder(history, stored),
    ...checkLamps(history, stored),
    ...checkRefusedRows(history, stored),
    ...feeds.flatMap(feed => checkFeed(feed, stored)),
    ...(await checkEffects(sql)),
    ...(await audit(sql, [registered(timedLamp)])).map(
      ({ invariant, what, count, example }) => `audit ${invariant}: ${what}, ${count} × (${example})`,
    ),
  ]
}

/** A refusal because of an existing row is right: the row exists, and exactly one operation made it. */
const checkRefusedRows = ({ operations }: History, { lamps, sightings }: Stored): string[] => {
  const rooms = new Set([...lamps.values()].map(({ room }) => room))
  return operations.flatMap(({ name, commands, attempts }) =>
    attempts.flatMap(({ outcome }) => {
      if (outcome.kind !== 'refused') return []
      const room = commands[outcome.index]?.create?.room ?? null
      if (outcome.refusal === 'room_taken' && !rooms.has(room))
        return [`${name} was refused for a room that no lamp has`]
      const isThere = commands.some(({ tx }) => tx !== undefined && sightings.has(tx))
      return outcome.constraint === 'sightings_pkey' && !isThere
        ? [`${name} was refused for a row that does not exist`]
        : []
    }),
  )
}

const checkFeed = (feed: readonly Followed[], { changes }: Stored): string[] => {
  const last = new Map<string, number>()
  const broken: string[] = []
  for (const { actor, rev } of feed) {
    if (rev !== (last.get(actor) ?? 0) + 1)
      broken.push(`the feed has revision ${rev} of ${actor} after ${last.get(actor)}`)
    last.set(actor, rev)
  }
  for (const [actor, { length }] of changes)
    if (last.get(actor) !== length) broken.push(`the feed ends with ${last.get(actor)} of ${length} of ${actor}`)
  return broken
}

/** Each change has caused the effects of its machine, once. */
const checkEffects = async (sql: Sql): Promise<string[]> => {
  const [row] = await sql<Record<string, number>[]>`
    select
      (select count(*)::int from transitions where event = 'flash') as flashes,
      (select count(*)::int from events where type = 'lamp.flashed') as flashed,
      (select count(*)::int from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'bill_flash') as billed,
      (select count(distinct payload ->> 'effect')::int from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'bill_flash') as bills,
      (select count(*)::int from transitions where event <> 'count' and event <> 'create') as publishing,
      (select count(*)::int from events) as events,
      (select count(distinct (actor, rev))::int from events) as published`
  const { flashes, flashed, billed, bills, publishing, events, published } = row ?? {}
  const isWhole = flashes === flashed && flashes === billed && flashes === bills
  return isWhole && publishing === events && publishing === published
    ? []
    : [`the effects differ from the changes: ${JSON.stringify(row)}`]
}
