import { afterAll, describe, expect, test } from 'bun:test'
import { openActors } from '../../src/actors/actors.ts'
import { audit } from '../../src/audit/audit.ts'
import { manualClock } from '../../src/clock.ts'
import { kinds } from '../../src/kinds/all.ts'
import { deliveryKind } from '../../src/kinds/delivery.ts'
import { openLog } from '../../src/log.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { eventTypes } from '../../src/resources.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { paymentOpening } from '../machines/payment-cases.ts'
import { T0 } from '../machines/table.ts'
import { change, create, remove, seeded } from './endpoints.ts'

const db = await database()
const sql = connect(db.url, { byKey: true })
const random = crypto.getRandomValues.bind(crypto)
const actorsOn = (on: Sql, at = T0) =>
  openActors({ sql: on, clock: manualClock(at), random, log: openLog('silent') }, kinds)
const actors = await actorsOn(sql)
const merchant = async () => {
  const id: string = crypto.randomUUID()
  await sql`insert into merchants (id, name) values (${id}, 'Lamps')`
  return id
}
afterAll(async () => {
  expect(await audit(sql, kinds)).toEqual([])
  await sql.end({ timeout: 1 })
  await db[Symbol.asyncDispose]()
})

const openPayment = async (merchantId: string, livemode = false, by = actors) => {
  const actor = crypto.randomUUID()
  const outcome = await by.dispatch({
    kind: 'payment',
    actor,
    create: { ...paymentOpening, windowMinutes: 30, merchantId, livemode },
  })
  expect(outcome.ok).toBe(true)
  return actor
}
const cancel = (actor: string, by = actors) => by.dispatch({ kind: 'payment', actor, event: { type: 'cancel' } })

const sent = (merchantId: string) => sql<{ endpoint_id: string; event_type: string; livemode: boolean }[]>`
  select endpoint_id, event_type, livemode from deliveries where merchant_id = ${merchantId} order by seq`

/** Writes an event as a commit does, on a connection that may have an open transaction. */
const insertEvent = (on: Sql, merchantId: string, type = 'payment.created') => on`
  insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era)
  select gen_random_uuid(), 'payment', actor, rev, ${type}, merchant_id, livemode, api_version, object, created_at, era
  from events where merchant_id = ${merchantId} limit 1`

describe('an event', () => {
  test('creates its deliveries in the initial state of their machine', async () => {
    const merchantId = await merchant()
    const endpointId = await create(sql, merchantId, ['payment.created'])
    await openPayment(merchantId)
    const [event] = await sql<{ id: string; created_at: Date }[]>`
      select id, created_at from events where merchant_id = ${merchantId}`
    const create_ = {
      merchantId,
      livemode: false,
      eventId: crypto.randomUUID(),
      eventType: 'payment.created',
      endpointId,
    }
    const byMachine = crypto.randomUUID()
    await actors.dispatch({ kind: 'delivery', actor: byMachine, create: create_ })

    const [made, asked] = await sql`
      select * from deliveries where merchant_id = ${merchantId} order by (id = ${byMachine})`
    const own = ({ id, event_id, seq, ...rest }: Record<string, unknown> = {}) => rest
    expect(own(made)).toEqual(own(asked))
    expect(made).toMatchObject({ event_id: event?.id, version: deliveryKind.version })
    expect(made?.created_at).toEqual(event?.created_at)
    // The row has everything that the history would have.
    expect(await sql`select from transitions where actor in (${String(made?.id)}, ${byMachine})`).toHaveLength(0)
    await sql`delete from deliveries where id = ${byMachine}`
  })

  test('goes only to the endpoints of its merchant and mode that subscribe to its type', async () => {
    const [lamps, chairs] = [await merchant(), await merchant()]
    const one = await create(sql, lamps, ['payment.created'])
    const two = await create(sql, lamps, ['payment.canceled', 'payment.created'])
    const live = await create(sql, lamps, [...eventTypes], { livemode: true })
    await create(sql, chairs, [...eventTypes])
    await create(sql, lamps, ['payment.late', 'refund.failed'])
    await cancel(await openPayment(lamps))
    const deliveries = (await sent(lamps)).map(({ endpoint_id, event_type }) => `${endpoint_id} ${event_type}`)
    expect(deliveries.toSorted()).toEqual(
      [`${one} payment.created`, `${two} payment.created`, `${two} payment.canceled`].toSorted(),
    )
    await cancel(await openPayment(lamps, true))
    expect((await sent(lamps)).filter(({ livemode }) => livemode).map(({ endpoint_id }) => endpoint_id)).toEqual([
      live,
      live,
    ])
    expect(await sent(chairs)).toHaveLength(0)
  })

  test('sends one notification, and none without subscribers', async () => {
    const [lamps, chairs] = [await merchant(), await merchant()]
    const endpoints = await Promise.all(
      [1, 2, 3].map(() => create(sql, lamps, ['payment.created', 'payment.canceled'])),
    )
    const deliveries: string[][] = []
    const { unlisten } = await sql.listen('deliveries', payload => void deliveries.push(payload.split(',').toSorted()))
    await openPayment(chairs)
    const actor = crypto.randomUUID()
    await actors.dispatchBundle([
      { kind: 'payment', actor, create: { ...paymentOpening, windowMinutes: 30, merchantId: lamps, livemode: false } },
      { kind: 'payment', actor, event: { type: 'cancel' } },
    ])
    await until(() => deliveries.length > 0)
    await unlisten()
    expect(deliveries).toEqual([endpoints.toSorted()])
    expect(await sent(lamps)).toHaveLength(6)
  })

  test('finds its subscribers, in any number, without reading those of others', async () => {
    const [lamps, chairs] = [await merchant(), await merchant()]
    await openPayment(lamps)
    await sql`
      select create_webhook_endpoint(gen_random_uuid(), ${chairs}, false, 'https://x/', null,
        ${eventTypes.slice(0, 10)}::text[], 's', 100000, null, 'operator', null, '{}') from generate_series(1, 300)`
    const own = connect(db.url, { max: 1 })
    await own`begin`
    await own`
      insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era)
      select gen_random_uuid(), 'payment', actor, rev, type, merchant_id, livemode, api_version, object, created_at, era
      from events, generate_series(1, 100) where merchant_id = ${lamps}`
    const [read] = await own`
      select coalesce(seq_scan, 0)::int as seq_scan, idx_tup_fetch::int as rows from pg_stat_xact_user_tables
      where relname = 'webhook_subscriptions'`
    expect(read).toEqual({ seq_scan: 0, rows: 0 })
    await own`rollback`
    await own.end()
  })
})

describe('of a change of subscriptions and a simultaneous commit with events', () => {
  const waits = (pid: number) =>
    until(async () => (await sql`select from pg_locks where pid = ${pid} and not granted`).length > 0)
  const session = async () => {
    const own = connect(db.url, { max: 1 })
    const [row] = await own<{ pid: number }[]>`select pg_backend_pid() as pid`
    return Object.assign(own, { pid: row?.pid ?? 0 })
  }
  /** These events belong to no change of an actor; the audit would report them. */
  const forget = async (merchantId: string) => {
    await sql`
      delete from transitions where actor in (
        select id from deliveries where merchant_id = ${merchantId}
        union all select id from payments where merchant_id = ${merchantId})`
    await sql`delete from deliveries where merchant_id = ${merchantId}`
    await sql`delete from payments where merchant_id = ${merchantId}`
    await sql`delete from events where merchant_id = ${merchantId}`
  }
  const i1 = async () => (await audit(sql, kinds)).filter(({ invariant }) => invariant === 'I1')

  test('the change waits for the commit that has read the subscriptions, whose events keep the old ones', async () => {
    const lamps = await merchant()
    await openPayment(lamps)
    const [one, two] = [await session(), await session()]
    await one`begin`
    await insertEvent(one, lamps)
    const changing = create(two, lamps, ['payment.created'])
    await waits(two.pid)
    await one`commit`
    await changing
    expect(await sent(lamps)).toHaveLength(0)
    expect(await i1()).toEqual([])
    await forget(lamps)
    await Promise.all([one.end(), two.end()])
  })

  test('the commit waits for the change and uses the new subscriptions', async () => {
    const lamps = await merchant()
    await openPayment(lamps)
    const [one, two] = [await session(), await session()]
    await two`begin`
    const endpoint = await create(two, lamps, ['payment.created'])
    const committing = insertEvent(one, lamps)
    committing.catch(() => {})
    await waits(one.pid)
    await two`commit`
    await committing
    expect(await sent(lamps)).toMatchObject([{ endpoint_id: endpoint }])
    expect(await i1()).toEqual([])
    await forget(lamps)
    await Promise.all([one.end(), two.end()])
  })

  test('a transaction that began earlier but reads later uses the new subscriptions too', async () => {
    const lamps = await merchant()
    await openPayment(lamps)
    const [one] = [await session()]
    await one`begin`
    // It has its transaction id, but has read nothing yet.
    await one`select pg_current_xact_id()`
    const [open, closed] = [
      await create(sql, lamps, ['payment.created']),
      await create(sql, lamps, ['payment.created']),
    ]
    await change(sql, closed, { status: 'disabled' })
    await insertEvent(one, lamps)
    await one`commit`
    expect(await sent(lamps)).toMatchObject([{ endpoint_id: open }])
    expect(await i1()).toEqual([])
    await forget(lamps)
    await one.end()
  })
})

test('while twenty writers commit and endpoints are created, changed and deleted, every event has exactly the right deliveries', async () => {
  const merchants = await Promise.all([1, 2, 3].map(merchant))
  const next = seeded(process.env.FAN_OUT_SEED)
  const pick = <T>(of: readonly [T, ...T[]]): T => of[Math.floor(next() * of.length)] ?? of[0]
  // A second process, so that commits overlap.
  const others = connect(db.url, { byKey: true, max: 8 })
  const processes = [actors, await actorsOn(others)] as const
  const [first = '', ...rest] = merchants
  let writing = true
  const writers = Array.from({ length: 20 }, async (_, n) => {
    for (let round = 0; round < 12; round++) {
      const by = processes[n % 2 ? 0 : 1]
      const payment = await openPayment(pick([first, ...rest]), next() < 0.3, by)
      expect((await cancel(payment, by)).ok).toBe(true)
    }
  })
  const changers = Array.from({ length: 4 }, async () => {
    const mine: string[] = []
    const types = () => eventTypes.filter(type => type.startsWith('payment.c') && next() < 0.7)
    while (writing) {
      const endpoint = mine[Math.floor(next() * mine.length)]
      const wanted = [...types(), 'payment.late']
      const what = next()
      if (!endpoint || (what < 0.3 && mine.length < 8))
        mine.push(await create(others, pick([first, ...rest]), wanted, { livemode: next() < 0.3 }))
      else if (what < 0.55) await change(others, endpoint, { eventTypes: wanted })
      else if (what < 0.75) await change(others, endpoint, { status: 'disabled' })
      else if (what < 0.9) await enable(endpoint)
      else await remove(others, mine.splice(mine.indexOf(endpoint), 1)[0] ?? '')
    }
  })
  /** As its task does: pending deliveries are canceled first. */
  const enable = async (endpoint: string) => {
    const open = await others<{ id: string }[]>`
      select id from deliveries where endpoint_id = ${endpoint} and state = 'pending'
        and exists (select from webhook_endpoints where id = ${endpoint} and state = 'disabled')`
    await Promise.all(open.map(({ id }) => actors.dispatch({ kind: 'delivery', actor: id, event: { type: 'cancel' } })))
    await change(others, endpoint, { status: 'enabled' })
  }
  await Promise.all(writers)
  writing = false
  await Promise.all(changers)
  expect(await audit(sql, kinds)).toEqual([])
  const [seen] = await sql<{ deliveries: number; wanted: number; closed: number; mixed: number }[]>`
    select
      (select count(*)::int from deliveries where merchant_id = any (${merchants}::uuid[])) as deliveries,
      (select count(*)::int from webhook_subscriptions where merchant_id = any (${merchants}::uuid[])) as wanted,
      (select count(*)::int from webhook_subscriptions
       where merchant_id = any (${merchants}::uuid[]) and closed_at is not null) as closed,
      (select count(*)::int from deliveries d join webhook_endpoints w on w.id = d.endpoint_id
       where w.livemode <> d.livemode or w.merchant_id <> d.merchant_id) as mixed`
  expect(seen?.mixed).toBe(0)
  // Otherwise the test would prove nothing.
  expect(seen?.deliveries).toBeGreaterThan(100)
  expect(seen?.closed).toBeGreaterThan(10)
  await others.end({ timeout: 5 })
}, 60_000)
