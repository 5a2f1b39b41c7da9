import { randomUUID } from 'node:crypto'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { findDueBetween, findDueEndpoints, takeStep } from '../../src/queries/sending.ts'
import { openEndpointScheduler } from '../../src/webhooks/endpoint-scheduler.ts'
import type { Bench } from './bench.ts'
import { inTurns } from './callers.ts'
import { median, milliseconds, thousands, times } from './promises.ts'
import type { WebhookSizes } from './webhooks.ts'
import { commitEvents, type Instance, openInstance } from './webhooks-instance.ts'

const ENDPOINTS = 200

/** Whether pending deliveries make it slower to find the next ones. */
export const promisePending = async (
  { server, print, report }: Bench,
  { pending, fewPending, claims }: WebhookSizes,
): Promise<void> => {
  await using few = await openClaims(await openInstance(server, { healthy: ENDPOINTS, port: 1 }), fewPending)
  await using many = await openClaims(await openInstance(server, { healthy: ENDPOINTS, port: 1 }), pending)
  const polls = await many.polls()
  print(
    `${thousands(pending)} pending: a poll for due endpoints ${milliseconds(polls.poll)}, a sweep ${milliseconds(polls.sweep)}`,
  )
  const measure = async (what: string) => {
    // First, statements are prepared and every endpoint is claimed from.
    for (let n = 0; n < 10; n++) await Promise.all([few.claim(), many.claim()])
    const pairs = await inTurns(claims, few.claim, many.claim)
    // Of the last third, with the dead rows of the earlier claims.
    const last = pairs.slice(-Math.ceil(pairs.length / 3))
    const [ofFew, ofMany] = [median(last.map(([one]) => one)), median(last.map(([, other]) => other))]
    print(
      `a claim${what}: ${milliseconds(ofMany)} of ${thousands(pending)} pending, ${milliseconds(ofFew)} of ${thousands(fewPending)}`,
    )
    report.atMost(
      `a claim of ${thousands(pending)} pending deliveries against ${thousands(fewPending)}${what}`,
      ofMany / ofFew,
      1.7,
      { as: times, from: `${milliseconds(ofMany)} against ${milliseconds(ofFew)}, ${many.rows()} rows` },
    )
  }
  await measure('')
  await using _ = await idleTransaction(many)
  await measure(', with an idle transaction')
}

type Claims = AsyncDisposable & {
  readonly url: string
  /** Claims a share of the due deliveries as a sender does. Returns the milliseconds. */
  claim(): Promise<number>
  /** Milliseconds of each way to find endpoints with due deliveries. */
  polls(): Promise<{ readonly poll: number; readonly sweep: number }>
  /** The rows of one claim. */
  rows(): number
}

/** Always this many pending deliveries: claimed ones are recorded as sent and replaced by new events. */
const openClaims = async (instance: Instance, pending: number): Promise<Claims> => {
  await fill(instance, pending)
  // One connection, with the actors' settings: a second would have its own plans.
  const sql = connect(instance.url, { max: 1, byKey: true })
  const scheduler = openEndpointScheduler()
  for (const { endpointId } of instance.shops) scheduler.markDue(endpointId, 0, performance.now())
  const byEndpoint = new Map(instance.shops.map(shop => [shop.endpointId, shop]))
  const none = { command: randomUUID(), recorded: [], jobs: [], answered: [], finished: [] }
  let rows = 0

  const claim = async (): Promise<number> => {
    const claims = scheduler.nextClaims(performance.now())
    const began = performance.now()
    const { claimed } = await takeStep(sql, none, {
      ...{ id: randomUUID(), worker: randomUUID(), at: new Date() },
      endpoints: claims.map(({ endpoint, want }) => ({ endpointId: endpoint.id, want, lowMs: endpoint.lowMs })),
    })
    const tookMs = performance.now() - began
    rows = claimed.length
    const wanted = claims.reduce((sum, { want }) => sum + want, 0)
    if (rows < wanted / 2) throw new Error(`a claim has ${rows} rows of ${wanted}`)
    for (const claim of claims) {
      const its = claimed.filter(({ endpointId }) => endpointId === claim.endpoint.id)
      scheduler.recordClaim(claim, {
        count: its.length,
        lastDueMs: Math.max(...its.map(({ dueAt }) => dueAt.getTime())),
      })
      scheduler.markDue(claim.endpoint.id, Number.MAX_SAFE_INTEGER, performance.now())
    }
    await finish(
      sql,
      claimed.map(({ id }) => id),
    )
    await commitEvents(
      sql,
      claimed.map(({ endpointId }) => byEndpoint.get(endpointId)).filter(shop => shop !== undefined),
    )
    return tookMs
  }

  return {
    url: instance.url,
    claim,
    rows: () => rows,
    polls: async () => ({
      poll: await timeOf(() => findDueBetween(sql, new Date(Date.now() - 750), new Date(Date.now() + 300))),
      sweep: await timeOf(() => findDueEndpoints(sql, new Date())),
    }),
    [Symbol.asyncDispose]: async () => {
      await sql.end({ timeout: 1 })
      await instance[Symbol.asyncDispose]()
    },
  }
}

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  await work()
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Deliveries without events and history, which are not read here. Due over the last hour. */
const fill = async ({ sql }: Instance, pending: number): Promise<void> => {
  await sql`
    insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era)
    select gen_random_uuid(), 'payment', gen_random_uuid(), 1, 'nobody.wants_this', gen_random_uuid(), false,
      '2026-11-20', '{}', now(), current_era()
    from generate_series(1, ${pending / ENDPOINTS}::integer)`
  await sql`
    insert into deliveries (
      id, state, rev, version, created_at, updated_at, merchant_id, livemode, event_id, event_type, endpoint_id,
      attempts, automatic_attempts, trigger, next_attempt_at, cancel_requested)
    select new_uuidv7(), 'pending', 1, 1, e.created_at, e.created_at, w.merchant_id, false, e.id, e.type, w.id,
      0, 0, 'automatic', now() - random() * interval '1 hour', false
    from events e cross join webhook_endpoints w`
  await sql`vacuum analyze events, deliveries`
}

/** Delivered, as far as the next claim is concerned. */
const finish = async (sql: Sql, ids: readonly string[]): Promise<void> => {
  await sql`
    update deliveries set state = 'delivered', rev = rev + 1, sending_since = null, delivered_at = now()
    where id = any(${ids}::uuid[])`
}

/** A transaction that stays open: nothing that dies from now on can be vacuumed. */
const idleTransaction = async ({ url }: Claims): Promise<AsyncDisposable> => {
  const sql = connect(url, { max: 1 })
  await sql.unsafe('begin isolation level repeatable read')
  await sql`select pg_current_xact_id()`
  return {
    [Symbol.asyncDispose]: async () => {
      await sql.unsafe('rollback')
      await sql.end({ timeout: 1 })
    },
  }
}
