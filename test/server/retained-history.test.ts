import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { rebuildPaymentSums } from '../../src/queries/payment-sums.ts'
import { dropOfActors, findOldActors } from '../../src/queries/retention.ts'
import { findingsAfter } from '../audit/planted.ts'
import { blockStatement } from '../chain/watch/block-statement.ts'
import { endSessions, startProgram } from '../commands/killed-program.ts'
import { until } from '../harness/until.ts'
import { payments } from '../machines/payment-cases.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'
import { refundOpening, refunds } from '../machines/refund-cases.ts'
import { sendingInstance } from '../webhooks/sending-instance.ts'
import { countIn, daysAgo, readFeeds, recordAudit, runRetention } from './retaining.ts'

const unlimited = { maxPayments: null, expiresAt: null, reference: null }

/** How many days ago a payment was paid. The last of them is kept as a whole. */
const AGES = [700, 600, 500, 410, 390]

/**
 * Two years of one merchant: payments of one link, which is closed since 450 days. The second has a refund that is open, and
 * one more was seen 650 days ago and never became final.
 */
const agedShop = async () => {
  await using starting = new AsyncDisposableStack()
  const instance = starting.use(await sendingInstance({ at: daysAgo(701) }))
  const { clock, sql, world } = instance
  const { actors } = world
  const [merchant] = await sql<{ id: string }[]>`select id from merchants`
  const merchantId = merchant?.id ?? ''
  const send = async (...commands: Parameters<typeof actors.dispatchBundle>[0]) =>
    expect(await actors.dispatchBundle(commands)).toMatchObject({ ok: true })
  const addLink = async () => {
    const link = crypto.randomUUID()
    await send({ kind: 'payment_link', actor: link, create: { ...paymentLinkOpening, ...unlimited, merchantId } })
    return link
  }
  const close = (link: string) => send({ kind: 'payment_link', actor: link, event: { type: 'deactivate' } })
  let made = 0
  const pay = async (link: string, isFinal = true) => {
    const id = crypto.randomUUID()
    const txHash = `0x${String(++made).padStart(64, '0')}`
    const event = (name: 'pick' | 'see 1000' | 'all 1000 final', more: object = {}) => ({
      ...{ kind: 'payment', actor: id },
      event: { type: '', ...payments.events[name], at: clock.now(), ...more },
    })
    const ofLink = (type: string) => ({ kind: 'payment_link', actor: link, event: { type } })
    const create = { ...payments.input, merchantId, paymentLinkId: link }
    await send(ofLink('open_payment'), { kind: 'payment', actor: id, create })
    await send(event('pick', { address: `0x${String(made).padStart(40, '0')}` }))
    await send(event('see 1000', { txHash, minedAt: clock.now() }), ofLink('payment_processing'))
    if (isFinal) await send(event('all 1000 final'), ofLink('payment_succeeded'))
    return id
  }
  const closed = await addLink()
  const paid: string[] = []
  let refund = ''
  let seen = ''
  for (const age of AGES) {
    clock.set(daysAgo(age))
    const link = age < 450 ? await addLink() : closed
    paid.push(await pay(link))
    if (age === 600) {
      refund = crypto.randomUUID()
      await send(
        {
          kind: 'payment',
          actor: paid.at(-1) ?? '',
          event: { type: 'reserve_refund', ...payments.events['reserve 300'] },
        },
        {
          kind: 'refund',
          actor: refund,
          create: { ...refundOpening, merchantId, paymentId: paid.at(-1), amountMinor: 300 },
        },
      )
      await send({ kind: 'refund', actor: refund, event: { type: '', ...refunds.events['name destination'] } })
      seen = await pay(await addLink(), false)
    }
    if (age === 500) {
      clock.set(daysAgo(450))
      await close(closed)
    }
  }
  clock.set(new Date())
  await readFeeds(instance)
  await recordAudit(instance, 'clean')
  expect(await audit(sql, kinds)).toEqual([])
  const rest = starting.move()
  return { ...instance, paid, closed, refund, seen, [Symbol.asyncDispose]: () => rest.disposeAsync() }
}

type Shop = Awaited<ReturnType<typeof agedShop>>

const historyOf = async ({ sql }: Shop, actor: string) =>
  (await sql<{ rev: number }[]>`select rev from transitions where actor = ${actor} order by rev`).map(({ rev }) => rev)

const sumsOf = async ({ sql }: Shop) => [...(await sql`select * from payment_sums order by payment_sums`)]

test('the history of payments and links that have ended is dropped after 400 days but its last entry', async () => {
  await using shop = await agedShop()
  const before = { sums: await sumsOf(shop), events: await countIn(shop, 'events') }
  expect(await runRetention(shop, { transitionsAtOnce: 5 })).toMatchObject([{ part: 'history' }])
  const [first = '', refunded = '', third = '', fourth = '', young = ''] = shop.paid
  for (const id of [first, third, fourth]) expect(await historyOf(shop, id)).toEqual([4])
  expect(await historyOf(shop, refunded)).toEqual([1, 2, 3, 4, 5])
  expect(await historyOf(shop, young)).toEqual([1, 2, 3, 4])
  expect(await historyOf(shop, shop.seen)).toEqual([1, 2, 3])
  expect(await historyOf(shop, shop.refund)).toEqual([1, 2])
  expect(await historyOf(shop, shop.closed)).toHaveLength(1)
  expect(await audit(shop.sql, kinds)).toEqual([])
  expect({ sums: await sumsOf(shop), events: await countIn(shop, 'events') }).toEqual(before)
  expect(await runRetention(shop)).toEqual([])
})

test('the entry by which a payment succeeded is kept when another follows, and a payment that goes on is dropped later', async () => {
  await using shop = await agedShop()
  const [, refunded = ''] = shop.paid
  const { actors } = shop.world
  await runRetention(shop)
  expect(await historyOf(shop, refunded)).toEqual([1, 2, 3, 4, 5])
  shop.clock.set(daysAgo(385))
  const release = { ...payments.events['release 300'], type: 'release_refund' }
  expect(
    await actors.dispatchBundle([
      { kind: 'payment', actor: refunded, event: release },
      { kind: 'refund', actor: shop.refund, event: { type: 'cancel' } },
    ]),
  ).toMatchObject({ ok: true })
  shop.clock.set(new Date())
  await readFeeds(shop)
  await runRetention(shop, { retainDays: { attemptBodies: undefined, deliveries: undefined, history: 380 } })
  expect(await historyOf(shop, refunded)).toEqual([4, 6])
  expect(await audit(shop.sql, kinds)).toEqual([])
})

test('an actor that goes on after it was found keeps its history, and two processes drop the rest once', async () => {
  await using shop = await agedShop()
  const [first = '', , third = ''] = shop.paid
  const found = await findOldActors(shop.sql, 'history', { before: daysAgo(400), most: 1_000 })
  expect(found?.actors).toContain(first)
  if (!found) throw new Error('nothing was found')
  const reserve = { ...payments.events['reserve 300'], type: 'reserve_refund' }
  const refund = { ...refundOpening, paymentId: first, amountMinor: 300 }
  const [merchant] = await shop.sql<{ id: string }[]>`select id from merchants`
  const actor = crypto.randomUUID()
  expect(
    await shop.world.actors.dispatchBundle([
      { kind: 'payment', actor: first, event: reserve },
      { kind: 'refund', actor, create: { ...refund, merchantId: merchant?.id } },
      { kind: 'refund', actor, event: { type: '', ...refunds.events['name destination'] } },
    ]),
  ).toMatchObject({ ok: true })
  await Promise.all([1, 2].map(() => dropOfActors(shop.sql, 'history', found, daysAgo(400))))
  expect(await historyOf(shop, first)).toEqual([1, 2, 3, 4, 5])
  expect(await historyOf(shop, third)).toEqual([4])
  await readFeeds(shop)
  expect(await audit(shop.sql, kinds)).toEqual([])
})

test.each([
  ['one time', 1, 10],
  ['five times', 5, 10],
  ['five times', 5, 2],
  ['all times from then on', 100, 10],
])(
  'with %s of a wrong clock in the feed, what is before them is dropped, and what is after an old one',
  async (_, count, transitionsAtOnce) => {
    await using shop = await agedShop()
    const { sql } = shop
    // As if the clock of the database had been ten years ahead while the payments of 600 days ago were made, and now.
    await sql`
    create table clock_was_wrong as
    (select actor, rev, at, digest from transitions where at > now() - interval '610 days' order by era, xid, seq limit ${count})
    union
    (select actor, rev, at, digest from transitions order by era desc, xid desc, seq desc limit 1)`
    await sql`
    update transitions t set at = now() + interval '10 years',
      digest = transition_digest(t.actor, t.rev, kind, command, event, from_state, to_state, cause, context,
        now() + interval '10 years', merchant_id, livemode, actor_created_at)
    from clock_was_wrong w where t.actor = w.actor and t.rev = w.rev`
    await runRetention(shop, { transitionsAtOnce })
    expect(await historyOf(shop, shop.paid[0] ?? '')).toEqual([4])
    expect(await historyOf(shop, shop.paid[3] ?? '')).toEqual(count === 100 ? [1, 2, 3, 4] : [4])
    expect(await historyOf(shop, shop.paid[4] ?? '')).toEqual([1, 2, 3, 4])
    await sql`
    update transitions t set at = w.at, digest = w.digest from clock_was_wrong w where t.actor = w.actor and t.rev = w.rev`
    expect(await audit(sql, kinds)).toEqual([])
  },
)

test.each(['machines', 'payments'])('history that the reader %s of the feed has not passed is kept', async reader => {
  await using shop = await agedShop()
  const { sql } = shop
  const before = await sumsOf(shop)
  const [here] = await sql`select era, xid::text as xid, seq from feed_cursors where reader = ${reader}`
  await sql`
    update feed_cursors c set era = t.era, xid = t.xid, seq = t.seq
    from (select era, xid, seq from transitions where actor = ${shop.paid[2] ?? ''} and rev = 1) t where reader = ${reader}`
  await runRetention(shop, { transitionsAtOnce: 2 })
  expect(await historyOf(shop, shop.paid[0] ?? '')).toEqual([4])
  expect(await historyOf(shop, shop.paid[2] ?? '')).toEqual([1, 2, 3, 4])
  await sql`
    update feed_cursors set era = ${here?.era}, xid = ${here?.xid}::text::xid8, seq = ${here?.seq} where reader = ${reader}`
  await runRetention(shop)
  expect(await historyOf(shop, shop.paid[2] ?? '')).toEqual([4])
  expect(await sumsOf(shop)).toEqual(before)
})

test('making the figures of merchants again keeps those whose history was dropped, and says since when', async () => {
  await using shop = await agedShop()
  expect(await rebuildPaymentSums(shop.sql)).toBeNull()
  const before = await sumsOf(shop)
  await runRetention(shop)
  const since = await rebuildPaymentSums(shop.sql)
  expect(since?.toISOString()).toBe(new Date(daysAgo(400).setUTCHours(0, 0, 0, 0)).toISOString())
  expect(await sumsOf(shop)).toEqual(before)
  // A wrong figure of a time with its history is made right; one of a time without it is not.
  await shop.sql`update payment_sums set succeeded = succeeded + 1`
  await rebuildPaymentSums(shop.sql)
  const wrong = await shop.sql<{ age: number }[]>`
    select distinct current_date - starts_at::date as age from payment_sums where succeeded > 1 or (succeeded = 1 and volume_minor = 0)`
  for (const { age } of wrong) expect(age).toBeGreaterThanOrEqual(400)
  expect(wrong.length).toBeGreaterThan(0)
  await shop.sql`update payment_sums set succeeded = succeeded - 1 where starts_at < current_date - 400`
})

test.each([
  [
    'an entry of a payment of a day of which some were dropped',
    `delete from transitions where kind = 'payment' and rev = 2`,
  ],
  [
    'the last entry of a payment whose history was dropped',
    `delete from transitions where kind = 'payment' and rev = 4 and at < now() - interval '650 days'`,
  ],
  [
    'a row of what was dropped',
    `delete from dropped_parts where part = 'history' and day = (select min(day) from dropped_parts where part = 'history');
     update retention_progress set dropped = (select sum(dropped) from dropped_parts where part = 'history') where part = 'history'`,
  ],
  ['a payment whose history was dropped', `delete from payments where created_at < now() - interval '650 days'`],
  ['a changed state', `update transitions set from_state = 'failed' where kind = 'payment' and rev = 3`],
  [
    'an event without its transition',
    `update events set rev = 9 where kind = 'payment' and created_at < now() - interval '650 days'`,
  ],
  [
    'a changed count with its digest and the sum',
    `update dropped_parts set dropped = dropped + 1, digest = dropped_part_digest(part, day, dropped + 1, last_id, dropped_at)
     where part = 'history';
     update retention_progress set dropped = (select sum(dropped) from dropped_parts where part = 'history') where part = 'history'`,
  ],
])('after history was dropped, the audit finds %s', async (_, change) => {
  await using shop = await agedShop()
  await runRetention(shop)
  expect((await findingsAfter(shop.url, change)).length).toBeGreaterThan(0)
})

test.each([
  'before delete on transitions for each statement',
  'before insert on dropped_places for each statement',
  'before insert on dropped_parts for each statement',
  'before update on retention_progress for each statement',
])('a process that is killed %s has dropped history as a whole', async where => {
  await using shop = await agedShop()
  const start = () => startProgram('../server/retention-program.ts', [shop.url])
  {
    await using block = await blockStatement(shop.url, where)
    const program = start()
    await block.isBlocking()
    await program.kill()
    await endSessions(shop, 'retention')
  }
  expect(await audit(shop.sql, kinds)).toEqual([])
  const program = start()
  await until(async () => (await historyOf(shop, shop.paid[3] ?? '')).length === 1)
  await program.kill()
  await endSessions(shop, 'retention')
  expect(await audit(shop.sql, kinds)).toEqual([])
})
