import type { Sql } from '../../postgres/connect.ts'
import type { TransitionRow } from '../history.ts'
import type { OpsActor } from './actors.ts'

/** An attempt of a delivery. Times come from JSON. */
export type StoryAttempt = {
  readonly number: number
  readonly startedAt: string
  readonly durationMs: number | null
  readonly outcome: string | null
  readonly httpStatus: number | null
}

export type StoryDelivery = {
  readonly id: string
  readonly endpointId: string
  readonly state: string
  readonly attempts: readonly StoryAttempt[]
}

/** A public event that a transition has published, and its deliveries. */
export type StoryEvent = {
  readonly rev: number
  readonly id: string
  readonly type: string
  readonly deliveries: readonly StoryDelivery[]
}

/** `rev`: the transition that followed it; null if there is none yet. */
export type StoryTransfer = {
  readonly rev: number | null
  readonly chainId: number
  readonly txHash: string
  readonly logIndex: number
  readonly amount: string
  readonly tokenAddress: string | null
  readonly state: 'seen' | 'final' | 'orphaned'
  readonly minedAt: Date
}

/** The event that a delivery sends, with the actor that has published it. */
export type StorySource = {
  readonly eventId: string
  readonly type: string
  readonly kind: string
  readonly actor: string
  readonly rev: number
}

export type Story = {
  /** By `rev`. */
  readonly commands: ReadonlyMap<number, string>
  readonly events: readonly StoryEvent[]
  readonly transfers: readonly StoryTransfer[]
  /** By the number of the attempt. */
  readonly attempts: ReadonlyMap<number, StoryAttempt>
  readonly source: StorySource | null
}

export const mostPerStep = { deliveries: 20, attempts: 5, transfers: 100 } as const

/** What belongs to these transitions of an actor. */
export const readStory = async (
  sql: Sql,
  { name, actor }: OpsActor,
  rows: readonly TransitionRow[],
): Promise<Story> => {
  const isDelivery = name === 'delivery'
  const revs = rows.map(({ rev }) => rev)
  const [commands, events, transfers, attempts, source] = await Promise.all([
    readCommands(sql, actor.id, revs),
    isDelivery ? [] : readEvents(sql, actor.id, revs),
    name === 'payment' ? readTransfers(sql, actor.id) : [],
    isDelivery ? readAttempts(sql, actor.id, numbersOf(rows)) : [],
    isDelivery ? findSource(sql, actor.id) : null,
  ])
  return {
    commands: new Map(commands.map(({ rev, command }) => [rev, command])),
    events,
    transfers,
    attempts: new Map(attempts.map(attempt => [attempt.number, attempt])),
    source,
  }
}

const readCommands = (sql: Sql, actor: string, revs: readonly number[]) => sql<{ rev: number; command: string }[]>`
  select rev, command from transitions where actor = ${actor} and rev = any(${[...revs]}::integer[])`

const attemptFields = (sql: Sql) =>
  sql`number, started_at as "startedAt", duration_ms as "durationMs", outcome, http_status as "httpStatus"`

const readEvents = (sql: Sql, actor: string, revs: readonly number[]) => sql<StoryEvent[]>`
  select e.rev, e.id, e.type, (
    select coalesce(json_agg(each order by each.id), '[]') from (
      select d.id, d.endpoint_id as "endpointId", d.state, (
        select coalesce(json_agg(a order by a.number), '[]') from (
          select ${attemptFields(sql)} from delivery_attempts where delivery_id = d.id
          order by number desc limit ${mostPerStep.attempts}) a) as attempts
      from deliveries d where d.event_id = e.id order by d.id limit ${mostPerStep.deliveries}) each) as deliveries
  from events e
  where e.actor = ${actor} and e.rev = any(${[...revs]}::integer[])
  order by e.rev, e.seq`

/**
 * The latest transfers to the address of a payment: anyone can send any number. Each belongs to the first transition that
 * names its transaction, otherwise to the first one that the chain caused after its block.
 */
const readTransfers = (sql: Sql, payment: string) => sql<StoryTransfer[]>`
  with steps as materialized (
    select rev, at, json_of(context)->>'txHash' as hash from transitions
    where actor = ${payment} and cause like 'chain:%' order by rev desc limit 1000),
  found as materialized (
    select * from transfers where payment_id = ${payment}
    order by block_number desc, log_index desc limit ${mostPerStep.transfers})
  select
    coalesce(
      (select min(rev) from steps where hash = found.tx_hash),
      (select min(rev) from steps where at >= found.mined_at)) as rev,
    chain_id::float8 as "chainId", tx_hash as "txHash", log_index as "logIndex", amount::text as amount,
    token_address as "tokenAddress", state, mined_at as "minedAt"
  from found
  order by block_number, log_index`

/** The numbers of the attempts that ended with these transitions. */
const numbersOf = (rows: readonly TransitionRow[]): readonly number[] => rows.flatMap(row => attemptNumberOf(row) ?? [])

export const attemptNumberOf = ({ event, context }: TransitionRow): number | undefined =>
  event.startsWith('attempt_') && typeof context?.attempts === 'number' ? context.attempts : undefined

const readAttempts = (sql: Sql, delivery: string, numbers: readonly number[]) => sql<StoryAttempt[]>`
  select number, to_json(started_at)#>>'{}' as "startedAt", duration_ms as "durationMs", outcome,
    http_status as "httpStatus"
  from delivery_attempts where delivery_id = ${delivery} and number = any(${[...numbers]}::integer[])`

const findSource = async (sql: Sql, delivery: string): Promise<StorySource | null> => {
  const [row] = await sql<StorySource[]>`
    select e.id as "eventId", e.type, e.kind, e.actor, e.rev
    from deliveries d join events e on e.id = d.event_id
    where d.id = ${delivery}`
  return row ?? null
}
