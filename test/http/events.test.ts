import { describe, expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type } from 'arktype'
import { eventRoutes } from '../../src/http/events.ts'
import { connect } from '../../src/postgres/connect.ts'
import { eventTypes } from '../../src/resources.ts'
import { urlOf } from '../access/elsewhere.ts'
import { insertKey } from '../access/keys.ts'
import { until } from '../harness/until.ts'
import { subjects } from '../kinds/subjects.ts'
import { arrive, creation, step } from '../machines/table.ts'
import { expectNoCursors, expectPages, idsOf, testRefusedQueries } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { makePayment } from './payments.ts'
import { member, shop } from './people.ts'
import { type Asked, twoShops } from './two-shops.ts'

const { server, lamps, chairs, liveKey, ask, page } = await twoShops({ routes: eventRoutes })

const event = type({
  '+': 'reject',
  object: "'event'",
  id: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  type: 'string',
  created: 'number.integer',
  livemode: 'boolean',
  api_version: /^\d{4}-\d\d-\d\d$/,
  data: { '+': 'reject', object: 'object' },
})
type Event = typeof event.infer

const read = (id: string | undefined, asked?: Asked) => ask('GET', `/events/${id}`, asked)
const list = (query = '', asked?: Asked) => page<Event>(`/events${query}`, asked)
const typesOf = ({ data }: { data: readonly Event[] }) => data.map(({ type }) => type)

/** A merchant of its own, since lists contain everything of a merchant. */
const newShop = async (name: string) => {
  const here = await shop(server.api, name)
  const bearer = (await insertKey(server.sql, here)).secret
  return { here, bearer, whose: { merchantId: here.merchantId, livemode: false } }
}

/** The event of a payment that was just created. */
const newEvent = async (whose: { merchantId: string; livemode: boolean }) => {
  const { actor } = await makePayment(server.api, whose, 'new')
  return (await server.sql<{ id: string }[]>`select id from events where actor = ${actor}`)[0]?.id ?? ''
}

describe('GET /v1/events', () => {
  test('200: an event has the documented shape, with the record as it was at that moment', async () => {
    const { bearer, whose } = await newShop('Rugs')
    const { id, linkId } = await makePayment(server.api, whose, 'success')
    const { data } = await list('?order=asc', { bearer })
    expect(data.map(({ data: { object } }) => (object as { status: string }).status)).toEqual([
      'pending',
      'processing',
      'success',
    ])
    const [created, , succeeded] = data.map(one => event.assert(one))
    const at = Date.now() / 1_000
    expect(succeeded).toMatchObject({ type: 'payment.succeeded', livemode: false, api_version: '2026-11-20' })
    expect(Math.abs((succeeded?.created ?? 0) - at)).toBeLessThan(60)
    const { createdAt = '' } = { ...created?.data.object } as { createdAt?: string }
    expect(created?.created).toBe(Math.floor(Date.parse(createdAt) / 1_000))
    expect(Object.keys(created?.data.object ?? {})).toEqual([
      ...['object', 'id', 'merchantId', 'method', 'status', 'amountMinor', 'amountRefundedMinor', 'currency'],
      ...['customerEmail', 'customerName', 'failureReason', 'paymentLinkId', 'customerId', 'invoiceId', 'expiresAt'],
      ...['livemode', 'createdAt', 'updatedAt', 'reference', 'metadata'],
    ])
    expect(created?.data.object).toMatchObject({ id, paymentLinkId: linkId, customerEmail: 'ada@example.com' })
    // Later changes do not change the event.
    expect((await read(created?.id, { bearer })).json).toEqual(created as never)
  })

  test('200: newest first by pages, oldest first, and separated by mode', async () => {
    const { here, bearer, whose } = await newShop('Vases')
    await makePayment(server.api, whose, 'success')
    await makePayment(server.api, whose, 'expired')
    const all = await list('', { bearer })
    expect(typesOf(all)).toEqual([
      ...['payment.expired', 'payment.created', 'payment.succeeded', 'payment.processing', 'payment.created'],
    ])
    await expectPages(query => list(query, { bearer }), idsOf(all).toReversed())
    const live = (await insertKey(server.sql, { ...here, livemode: true })).secret
    expect((await list('', { bearer: live })).data).toEqual([])
  })

  test('200: filtered by type, by pages, in both orders', async () => {
    const { bearer, whose } = await newShop('Plants')
    for (const situation of ['success', 'expired', 'success', 'canceled', 'success'])
      await makePayment(server.api, whose, situation)
    const succeeded = await list('?type=payment.succeeded', { bearer })
    expect(typesOf(succeeded)).toEqual(Array(3).fill('payment.succeeded'))
    const ids = idsOf(succeeded)
    const page = await list('?type=payment.succeeded&limit=2', { bearer })
    expect([page.has_more, idsOf(page)]).toEqual([true, ids.slice(0, 2)])
    const rest = await list(`?type=payment.succeeded&limit=2&startingAfter=${ids[1]}`, { bearer })
    expect([rest.has_more, idsOf(rest)]).toEqual([false, ids.slice(2)])
    expect(idsOf(await list('?type=payment.succeeded&order=asc', { bearer }))).toEqual(ids.toReversed())
    // A cursor is a position among all events.
    expect(typesOf(await list(`?type=payment.canceled&startingAfter=${ids[0]}`, { bearer }))).toEqual([
      'payment.canceled',
    ])
    expect((await list('?type=dispute.opened', { bearer })).data).toEqual([])
  })

  test('200: a new event is listed immediately for the caller that caused it', async () => {
    for (let n = 0; n < 20; n++) {
      const { id } = await makePayment(server.api, { ...lamps, livemode: false }, 'new')
      const { data } = await list('?limit=1')
      expect(data[0]?.data.object).toMatchObject({ id })
    }
  })

  testRefusedQueries(list, [
    ['type=payment.paid', 'parameter_invalid', 'type'],
    ['type=payment.*', 'parameter_invalid', 'type'],
    ['type=', 'parameter_invalid', 'type'],
    ['type=PAYMENT.SUCCEEDED', 'parameter_invalid', 'type'],
    ['type=payment.failed&type=payment.late', 'parameter_invalid', 'type'],
    ['types=payment.failed', 'parameter_unknown', 'types'],
    ['startingAfter=1', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=019aa000-0000-7000-8000-000000000000', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=pay_01m7ygh5qmfvg9bxgmmwc0qqnf', 'invalid_cursor', 'startingAfter'],
  ])

  test('400: a cursor of another merchant or mode, or with another spelling', async () => {
    const foreign = await newEvent({ ...chairs, livemode: false })
    const live = await newEvent({ ...lamps, livemode: true })
    const own = await newEvent({ ...lamps, livemode: false })
    expect((await list(`?startingAfter=${own}`)).status).toBe(200)
    const misspelled = [own.toUpperCase(), own.replaceAll('-', ''), `{${own}}`, ` ${own}`]
    await expectNoCursors(list, [foreign, live, ...misspelled])
  })
})

describe('GET /v1/events/:id', () => {
  test('200 for the owner of the key, 404 with the same text for all others', async () => {
    const own = await newEvent({ ...lamps, livemode: false })
    const live = await newEvent({ ...lamps, livemode: true })
    const foreign = await newEvent({ ...chairs, livemode: false })
    expect((await read(live, { bearer: liveKey })).status).toBe(200)
    const { status, json } = await read(own)
    expect([status, event.assert(json).id]).toEqual([200, own])
    const { data } = await list('?limit=100')
    expect(data.find(({ id }) => id === own)).toEqual(json as never)
    await expectMissing(read, [live, foreign, ...namesNothing(own)])
  })
})

test('200: viewers read events of both modes', async () => {
  const { here, whose } = await newShop('Shelves')
  const asked = { path: here.path, bearer: (await member(server.api, here, 'viewer')).bearer }
  const atTest = await makePayment(server.api, whose, 'new')
  const live = await makePayment(server.api, { ...whose, livemode: true }, 'success')
  const [one] = (await list('', asked)).data
  expect(one).toMatchObject({ livemode: false, data: { object: { id: atTest.id } } })
  expect(typesOf(await list('?livemode=true&type=payment.succeeded', asked))).toEqual(['payment.succeeded'])
  const [other] = (await list('?livemode=true', asked)).data
  expect(other).toMatchObject({ livemode: true, data: { object: { id: live.id } } })
  for (const id of [one?.id, other?.id]) expect((await read(id, asked)).status).toBe(200)
  expect((await read(one?.id, { path: chairs.path, bearer: chairs.owner.bearer })).status).toBe(404)
})

test('exactly the event types that machines emit are declared', () => {
  const asked = new Set<string>()
  for (const { subject } of subjects) {
    const listed = [creation(subject)]
    for (const path of Object.values(subject.situations))
      for (const name of Object.keys(subject.events))
        listed.push(step(subject, arrive(subject, path), name) ?? creation(subject))
    for (const { effects } of listed)
      for (const name of effects.split(' ')) if (/^[a-z_]+\./.test(name)) asked.add(name)
  }
  expect([...asked].sort()).toEqual([...eventTypes].sort())
})

/**
 * Each writer gets its transaction id, writes like a commit, waits, and commits or rolls back: a real command commits
 * too soon after writing to be overtaken. Half of the writers wait before they write until a transaction that began
 * later has committed; the others wait until these have done their rounds.
 */
test('reading by a stored cursor misses and repeats nothing while twenty writers commit out of order', async () => {
  const { bearer, whose } = await newShop('Clocks')
  const { actor } = await makePayment(server.api, whose, 'new')
  const committed: { xid: bigint; ids: string[] }[] = []
  let writing = true
  let rounds = 0
  let payments = 1

  const write = async (writer: number) => {
    const sql = connect(urlOf(server.sql), { max: 1 })
    const waits = writer % 2 === 1
    for (let round = 0; waits ? round < 15 : rounds < 150; round++) {
      await sql.unsafe('begin')
      const [row] = await sql<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
      const xid = BigInt(row?.xid ?? 0)
      if (waits) await until(() => committed.some(other => other.xid > xid))
      await sql`select lock_list('events', array[${whose.merchantId}::uuid])`
      const ids: string[] = []
      for (let n = 0; n <= Math.random() * 3; n++) {
        const id = crypto.randomUUID()
        await sql`
          insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era)
          select ${id}, 'writer', actor, rev, type, merchant_id, livemode, api_version, object, now(), current_era()
          from events where actor = ${actor} and kind = 'payment'`
        ids.push(id)
        await pause(Math.random() * 3)
      }
      const kept = Math.random() < 0.85
      await sql.unsafe(kept ? 'commit' : 'rollback')
      if (kept) committed.push({ xid, ids })
      if (waits) rounds++
      if (writer % 5 === 0) {
        await makePayment(server.api, whose, 'new')
        payments++
      }
    }
    await sql.end({ timeout: 1 })
  }

  const readAll = async (query: string) => {
    const seen: string[] = []
    for (let from = ''; ; ) {
      // Checked before reading; otherwise the last events could be written in between.
      const ended = !writing
      const page = await list(`?order=asc${query}${from}`, { bearer })
      if (page.status !== 200) throw new Error(`the list was answered ${page.text}`)
      seen.push(...idsOf(page))
      if (ended && !page.has_more) return seen
      if (seen.length > 0) from = `&startingAfter=${seen.at(-1)}`
      await pause(Math.random() * 5)
    }
  }

  const cursorReads = ['&limit=100', '&limit=3', '&limit=7&type=payment.created'].map(readAll)
  await Promise.all(Array.from({ length: 20 }, (_, writer) => write(writer)))
  writing = false
  const seen = await Promise.all(cursorReads)

  const overtaken = committed.filter(({ xid }, n) => committed.slice(0, n).some(before => before.xid > xid))
  expect(overtaken.length).toBeGreaterThan(75)
  const rows = await server.sql<{ id: string }[]>`select id from events where merchant_id = ${whose.merchantId}`
  const all = rows.map(({ id }) => id).sort()
  expect(all.length).toBe(payments + committed.flatMap(({ ids }) => ids).length)
  for (const ids of seen) expect(ids.toSorted()).toEqual(all)
  expect(seen[1]).toEqual(seen[0] ?? [])

  // Newest first it is the same list in reverse.
  const newest: string[] = []
  for (let from = ''; ; from = `&startingAfter=${newest.at(-1)}`) {
    const page = await list(`?limit=50${from}`, { bearer })
    newest.push(...idsOf(page))
    if (!page.has_more) break
  }
  expect(newest.toReversed()).toEqual(seen[0] ?? [])
  await server.sql`delete from events where kind = 'writer'`
}, 60_000)
