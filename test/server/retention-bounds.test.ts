import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { dropOfActors, findOldActors, findRetentionDay } from '../../src/queries/retention.ts'
import { until } from '../harness/until.ts'
import { paymentOpening } from '../machines/payment-cases.ts'
import { receiver } from '../webhooks/receiver.ts'
import { sendingInstance } from '../webhooks/sending-instance.ts'
import { countIn, daysAgo, readFeeds, recordAudit, runRetention } from './retaining.ts'

const DAYS = { bodies: 30, deliveries: 90, history: 400 }

/** Payments that were opened, delivered and canceled in one millisecond each: the last that is dropped and the first that is kept. */
const atTheBounds = async () => {
  await using starting = new AsyncDisposableStack()
  const shop = starting.use(await receiver(response => void response.writeHead(200).end('so')))
  const instance = starting.use(await sendingInstance({ at: daysAgo(DAYS.history + 1) }))
  const { clock, sql, world } = instance
  const endpoint = await instance.addEndpoint(shop.url)
  const sender = instance.startSender()
  const [merchant] = await sql<{ id: string }[]>`select id from merchants`
  const { today } = await findRetentionDay(sql)
  const paymentOf: Record<string, string> = {}
  let made = 0
  for (const [part, days] of Object.entries(DAYS).toReversed())
    for (const [bound, ms] of [
      ['before', -1],
      ['at', 0],
    ] as const) {
      clock.set(new Date(today.getTime() - days * 86_400_000 + ms))
      const actor = crypto.randomUUID()
      paymentOf[`${part} ${bound}`] = actor
      const create = { ...paymentOpening, windowMinutes: 30, merchantId: merchant?.id }
      for (const command of [{ create }, { event: { type: 'cancel' } }])
        expect(await world.actors.dispatch({ kind: 'payment', actor, ...command } as never)).toMatchObject({ ok: true })
      made++
      sender.wake([endpoint])
      await until(async () => (await countIn(instance, 'deliveries', `state = 'delivered'`)) === made)
    }
  await sender.stop()
  clock.set(new Date())
  await readFeeds(instance)
  await recordAudit(instance, 'clean')
  const names = Object.fromEntries(Object.entries(paymentOf).map(([name, id]) => [id, name]))
  /** The names of the payments of these actors, in the order in which they were made. */
  const named = (ids: readonly { readonly actor: string }[]) => ids.map(({ actor }) => names[actor] ?? actor)
  const rest = starting.move()
  return { ...instance, paymentOf, named, [Symbol.asyncDispose]: () => rest.disposeAsync() }
}

test('what has happened one millisecond before the day of a bound is dropped, and what happened with the day is kept', async () => {
  await using instance = await atTheBounds()
  const { sql, named } = instance
  const left = async () => ({
    bodies: named(
      await sql<{ actor: string }[]>`
      select e.actor from delivery_attempts a join deliveries d on d.id = a.delivery_id join events e on e.id = d.event_id
      where a.response_snippet is not null order by a.finished_at`,
    ),
    deliveries: named(
      await sql<{ actor: string }[]>`
      select e.actor from deliveries d join events e on e.id = d.event_id order by d.created_at`,
    ),
    shortened: named(
      await sql<{ actor: string }[]>`
      select actor from transitions where kind = 'payment' group by actor having count(*) = 1 order by min(at)`,
    ),
  })
  await runRetention(instance, { transitionsAtOnce: 2 })
  expect(await left()).toEqual({
    bodies: ['bodies at'],
    deliveries: ['deliveries at', 'bodies before', 'bodies at'],
    shortened: ['history before'],
  })
  expect(await countIn(instance, 'transitions', `kind = 'payment'`)).toBe(6 * 2 - 1)
  // What was kept was not passed over: it is dropped a day later.
  const { bodies, deliveries, history } = DAYS
  const retainDays = { attemptBodies: bodies - 1, deliveries: deliveries - 1, history: history - 1 }
  await runRetention(instance, { transitionsAtOnce: 2, retainDays })
  expect(await left()).toEqual({
    bodies: [],
    deliveries: ['bodies before', 'bodies at'],
    shortened: ['history before', 'history at'],
  })
  expect(await audit(sql, kinds)).toEqual([])
})

test('what is dropped of an actor that was found is what happened before the bound', async () => {
  await using instance = await atTheBounds()
  const { sql, paymentOf } = instance
  const [attempt] = await sql<{ actor: string; at: Date }[]>`
    select delivery_id as actor, finished_at as at from delivery_attempts order by finished_at limit 1`
  const [entry] = await sql<{ actor: string; at: Date }[]>`
    select actor, at from transitions where actor = ${paymentOf['history at'] ?? ''} limit 1`
  for (const [part, { actor = '', at = new Date() } = {}] of [
    ['attempt_bodies', attempt],
    ['history', entry],
  ] as const) {
    const found = await findOldActors(sql, part, { before: daysAgo(1), most: 100 })
    if (!found) throw new Error('nothing was found')
    expect(await dropOfActors(sql, part, { ...found, actors: [actor] }, at)).toEqual({ dropped: 0, locked: 0 })
  }
})

test('a payment with a timer, or with transfers that are not applied, keeps its history, whatever its state is', async () => {
  await using instance = await atTheBounds()
  const { sql, paymentOf } = instance
  const old = paymentOf['history before'] ?? ''
  const find = async () =>
    (await findOldActors(sql, 'history', { before: daysAgo(DAYS.history - 1), most: 100 }))?.actors
  expect(await find()).toContain(old)
  await sql`insert into timers (actor, kind, name, due_at, generation)
    values (${old}, 'payment', 'window', now() + interval '1 day', 1)`
  expect(await find()).not.toContain(old)
  await sql`delete from timers where actor = ${old}`
  await sql`insert into unsettled_payments (payment_id, chain_id, step) values (${old}, 1, 1)`
  expect(await find()).not.toContain(old)
  await sql`delete from unsettled_payments where payment_id = ${old}`
})

test('of long histories a commit drops as much as it may, and the next one the rest', async () => {
  await using instance = await atTheBounds()
  const { sql } = instance
  const before = daysAgo(DAYS.history - 1)
  const drop = async () => {
    const found = await findOldActors(sql, 'history', { before, most: 100 })
    if (!found) return undefined
    const { step, era, xid, seq, actors } = found
    const [done] = await sql<{ dropped: number; locked: number }[]>`
      select * from drop_history(${step}, ${era}, ${xid}::text::xid8, ${seq}, ${[...actors]}::uuid[], ${before}, 1)`
    return done
  }
  expect([await drop(), await drop(), await drop()]).toEqual([
    { dropped: 1, locked: 1 },
    { dropped: 1, locked: 0 },
    undefined,
  ])
  expect(await sql`select sum(dropped)::integer as dropped from dropped_parts where part = 'history'`).toEqual([
    { dropped: 2 },
  ] as never)
  expect(await audit(sql, kinds)).toEqual([])
})
