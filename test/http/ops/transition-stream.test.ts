import { describe, expect, test } from 'bun:test'
import { routes } from '../../../src/http/routes.ts'
import { openTransitionStreams } from '../../../src/http/transition-streams.ts'
import { encodeId } from '../../../src/ids.ts'
import { connect } from '../../../src/postgres/connect.ts'
import { readInspected } from '../../../src/queries/ops/inspected.ts'
import { readTransitions } from '../../../src/queries/ops/transitions.ts'
import { type MachineName, resources } from '../../../src/resources.ts'
import { database } from '../../harness/database.ts'
import { events } from '../../harness/events.ts'
import { until } from '../../harness/until.ts'
import { happen, makePayment, openPayment } from '../payments.ts'
import { operator } from '../people.ts'
import { twoShops } from '../two-shops.ts'

const { server, lamps, chairs } = await twoShops({ routes })
const first = await operator(server.api)
const testMode = { livemode: false }
const liveMode = { livemode: true }

type Stream = Awaited<ReturnType<typeof events>>
type Transition = Readonly<Record<'id' | 'kind' | 'event' | 'to' | 'merchantId', string>>

const open = (query = '', lastId?: string, bearer = first.bearer): Promise<Stream> =>
  events(`${server.url}/v1/ops/transitions/stream${query}`, {
    authorization: `Bearer ${bearer}`,
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  })

const take = async (stream: Stream, count: number): Promise<readonly Transition[]> => {
  const found: Transition[] = []
  while (found.length < count) {
    const next = await stream.next()
    if (!next) throw new Error(`the stream has ended after ${found.length} transitions`)
    expect(next.event).toBe('transition')
    found.push(next.data as Transition)
  }
  return found
}

/** The transitions of the table in the order of the feed, by their IDs in the API. */
const recorded = async (after = '0.0.0') => {
  const [era = '', xid = '', seq = ''] = after.split('.')
  const rows = await server.sql<{ kind: MachineName; actor: string; rev: number }[]>`
    select kind, actor, rev from transitions t
    where (era, xid, seq) > (${era}::integer, ${xid}::text::xid8, ${seq}::bigint) order by t.era, t.xid, t.seq`
  return rows.map(({ kind, actor, rev }) => `${encodeId(resources[kind].prefix, actor)}:${rev}`)
}

describe('GET /v1/ops/transitions/stream', () => {
  test('200: every transition of all merchants and both modes, as in the list, without its context', async () => {
    const stream = await open()
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    })
    const start = await stream.firstId()
    await makePayment(server.api, { ...lamps, ...testMode }, 'success')
    await makePayment(server.api, { ...chairs, ...liveMode }, 'picked')
    const wanted = await recorded(start)
    const found = await take(stream, wanted.length)
    expect(found.map(({ id }) => id)).toEqual(wanted)
    const listed = await server.call('GET', `/v1/ops/transitions?limit=${wanted.length}`, { bearer: first.bearer })
    const { data } = listed.json as { data: readonly { readonly context: unknown }[] }
    expect(found.toReversed()).toEqual(data.map(({ context: _, ...rest }) => rest) as never)
    stream.leave()
  })

  test('200: the filters of the list, each alone and together', async () => {
    await makePayment(server.api, { ...lamps, ...testMode }, 'success')
    const { id } = await makePayment(server.api, { ...chairs, ...testMode }, 'picked')
    const merchantOf = (shop: typeof lamps) => shop.path.split('/').at(-1)
    const whole = await open('', '0.0.0')
    const all = await take(whole, (await recorded()).length)
    whole.leave()
    const filters: readonly [string, (each: Transition) => boolean][] = [
      ['kind=payment_link', ({ kind }) => kind === 'payment_link'],
      ['event=asset_picked', ({ event }) => event === 'asset_picked'],
      ['state=success', ({ to }) => to === 'success'],
      [`actor=${id}`, each => each.id.startsWith(`${id}:`)],
      [`merchantId=${merchantOf(lamps)}`, ({ merchantId }) => merchantId === merchantOf(lamps)],
      [
        `kind=payment&state=pending&event=asset_picked&merchantId=${merchantOf(chairs)}`,
        ({ kind, to, event, merchantId }) =>
          kind === 'payment' && to === 'pending' && event === 'asset_picked' && merchantId === merchantOf(chairs),
      ],
    ]
    for (const [query, isWanted] of filters) {
      const wanted = all.filter(isWanted)
      expect(wanted.length).toBeGreaterThan(0)
      const stream = await open(`?${query}`, '0.0.0')
      expect([query, await take(stream, wanted.length)]).toEqual([query, wanted])
      stream.leave()
    }
  })

  test('200: a client that resumes after each third event gets every transition once, in the order of the feed', async () => {
    let stream = await open()
    const start = await stream.firstId()
    const writing = Promise.all(
      Array.from({ length: 6 }, async () => {
        const { actor } = await openPayment(server.api, { ...lamps, ...testMode })
        await happen(server.api, actor, { type: 'cancel' })
      }),
    )
    const found: string[] = []
    while (found.length < 18) {
      found.push(...(await take(stream, 1)).map(({ id }) => id))
      if (found.length % 3 > 0) continue
      stream.leave()
      stream = await open('', stream.lastId())
    }
    stream.leave()
    await writing
    expect(found).toEqual(await recorded(start))
  })

  test('200: a client without transitions of its filter resumes where the stream has looked', async () => {
    const stream = await open('?event=no_such_event')
    const start = await stream.firstId()
    await openPayment(server.api, { ...lamps, ...testMode })
    const place = await stream.firstId()
    expect(place).not.toBe(start)
    stream.leave()
    const { id } = await openPayment(server.api, { ...lamps, ...testMode })
    const again = await open('', place)
    const wanted = await recorded(place)
    expect((await take(again, wanted.length)).map(each => each.id)).toEqual(wanted)
    expect(wanted.some(each => each.startsWith(id))).toBe(true)
    again.leave()
  })

  test('200: a transition that commits late comes before those that it was overtaken by', async () => {
    const slow = connect(server.databaseUrl, { max: 1 })
    const settled = (await recorded()).length
    const stream = await open()
    const start = await stream.firstId()
    await slow.unsafe(`
      begin;
      insert into transitions (actor, command, at, actor_created_at, era, rev, keyed, kind, event, from_state, to_state, context)
      values (gen_random_uuid(), gen_random_uuid(), now(), now(), current_era(), 2, false, 'payment', 'late', 'pending', 'pending', '{}')`)
    await openPayment(server.api, { ...lamps, ...testMode })
    // It was opened after the commit, so all streams have read since then.
    const other = await open('', '0.0.0')
    await take(other, settled)
    other.leave()
    await slow.unsafe('commit')
    await slow.end()
    const wanted = await recorded(start)
    const found = await take(stream, wanted.length)
    expect(found.map(({ id }) => id)).toEqual(wanted)
    expect(found[0]?.event).toBe('late')
    await server.sql`delete from transitions where event = 'late'`
    stream.leave()
  })

  test.each(['', 'x', '1.2', '999.1.1', '1.99999999999999999.1'])('200: the ID %p is answered by a reset', async id => {
    const stream = await open('', id)
    expect(await stream.next()).toEqual({ id: expect.any(String), event: 'reset', data: {} })
    stream.leave()
  })

  test('400: filters that are not allowed', async () => {
    for (const query of ['kind=lamp', 'actor=usr_1', 'merchantId=x', 'event=', 'limit=1', 'startingAfter=x']) {
      const answer = await server.call('GET', `/v1/ops/transitions/stream?${query}`, { bearer: first.bearer })
      expect([query, answer.status]).toEqual([query, 400])
    }
  })

  test.each<[string, (accountId: string) => Promise<unknown>]>([
    ['its session has ended', id => server.sql`update sessions set ended_at = now() where account_id = ${id}`],
    ['its account is no operator any more', id => server.sql`select set_operator(${id}, false, 'operator', null)`],
    [
      'its second factor was turned off',
      id => server.sql`update accounts set mfa_secret = null, mfa_enabled_at = null where id = ${id}`,
    ],
  ])('a stream ends after %s, and sends nothing later; another one goes on', async (_, change) => {
    const other = await operator(server.api)
    const [theirs, own] = [await open('', undefined, other.bearer), await open()]
    await change(other.accountId)
    const { id } = await openPayment(server.api, { ...lamps, ...testMode })
    expect(await theirs.next()).toBeUndefined()
    const found = await take(own, 2)
    expect(found.some(each => each.id.startsWith(id))).toBe(true)
    own.leave()
  })

  test('429: the eleventh stream of a session', async () => {
    const { bearer } = await operator(server.api)
    const streams = await Promise.all(Array.from({ length: 10 }, () => open('', undefined, bearer)))
    expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200))
    const refused = await server.call('GET', '/v1/ops/transitions/stream', { bearer })
    expect([refused.status, refused.json]).toMatchObject([429, { error: { code: 'rate_limited' } }])
    for (const each of streams) each.leave()
  })
})

test('a client that does not read is closed, and needs no more memory until then', async () => {
  const [session] = await server.sql<{ id: string }[]>`select id from sessions where account_id = ${first.accountId}`
  const options = { everyMs: 1, page: 50, mostUnread: 5_000 }
  const streams = openTransitionStreams({ ...server.api }, options)
  const none = { kind: undefined, event: undefined, state: undefined, actor: undefined, merchantId: undefined }
  const reader = { sessionId: session?.id ?? '', hasSecondFactor: false, filter: none }
  const stream = (await streams.open(reader, '0.0.0')).getReader()
  await stream.read()
  let isOver = false
  void stream.closed.then(() => {
    isOver = true
  })
  await until(async () => {
    await openPayment(server.api, { ...lamps, ...testMode })
    return isOver || (await Promise.race([stream.read(), Bun.sleep(20)]))?.done === true
  })
  streams.stop()
})

test('rows are read in the order of their numbers, not of their texts', async () => {
  await using db = await database()
  const { sql } = db
  for (const [n, xid] of ['9', '10', '99', '100'].entries())
    await sql`
      insert into transitions (actor, command, at, actor_created_at, era, xid, rev, keyed, kind, event, from_state, to_state, context)
      values (gen_random_uuid(), gen_random_uuid(), now(), now(), current_era(), ${xid}::text::xid8, ${n + 2}, false, 'payment', 'x',
        'pending', 'pending', '{}')`
  const start = { era: 0, xid: '0', seq: '0' }
  for (const read of [readTransitions, readInspected])
    expect((await read(sql, start, 3)).map(({ xid }) => xid)).toEqual(['9', '10', '99'])
})
