import { describe, expect, test } from 'bun:test'
import { openSession } from '../../src/commands/sessions.ts'
import { routes } from '../../src/http/routes.ts'
import { encodeId } from '../../src/ids.ts'
import { events } from '../harness/events.ts'
import { paymentOpening, payments } from '../machines/payment-cases.ts'
import { paymentLinkOpening } from '../machines/payment-link-cases.ts'
import { makeInvoice } from './invoices.ts'
import { makeLink } from './links.ts'
import { happen, openPayment } from './payments.ts'
import { member, type Person, type Shop, shop } from './people.ts'
import { twoShops } from './two-shops.ts'
import { makeEndpoint } from './webhooks.ts'

const { server } = await twoShops({ routes })
const testMode = { livemode: false }

type Stream = Awaited<ReturnType<typeof events>>
type Change = { readonly object: string; readonly id: string; readonly status: string; readonly event: string | null }

const open = ({ path, owner }: Shop, more: { as?: Person; query?: string; lastId?: string } = {}): Promise<Stream> =>
  events(`${server.url}${path}/stream${more.query ?? ''}`, {
    authorization: `Bearer ${(more.as ?? owner).bearer}`,
    ...(more.lastId !== undefined && { 'last-event-id': more.lastId }),
  })

/** The next changes. */
const changes = async (stream: Stream, count: number): Promise<readonly Change[]> => {
  const found: Change[] = []
  while (found.length < count) {
    const next = await stream.next()
    if (!next) throw new Error(`the stream has ended after ${found.length} changes`)
    expect(next.event).toBe('change')
    found.push(next.data as Change)
  }
  return found
}

describe('GET /stream', () => {
  test('200: every change of an object, with its status and its event', async () => {
    const lamps = await shop(server.api)
    const stream = await open(lamps)
    expect(stream.response.status).toBe(200)
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    })
    const { id: linkId } = await makeLink(server.api, { ...lamps, ...testMode })
    const { id, actor } = await openPayment(server.api, { ...lamps, ...testMode })
    await happen(server.api, actor, { type: 'cancel' })
    expect(await changes(stream, 4)).toEqual([
      { object: 'payment_link', id: linkId, status: 'active', event: null },
      { object: 'payment', id, status: 'pending', event: 'payment.created' },
      { object: 'payment', id, status: 'pending', event: null },
      { object: 'payment', id, status: 'canceled', event: 'payment.canceled' },
    ])
    stream.leave()
  })

  test('200: a counter of document numbers, which the API does not have, is left out', async () => {
    const lamps = await shop(server.api)
    const stream = await open(lamps)
    const { id, invoice } = await makeInvoice(server.api, { ...lamps, ...testMode }, { finalize: true })
    const seen = await changes(stream, 3)
    const plink = encodeId('plink', invoice.context.paymentLinkId ?? '')
    const customer = encodeId('cus', invoice.context.customerId)
    expect(seen).toEqual([
      { object: 'customer', id: customer, status: 'active', event: 'customer.created' },
      ...[expect.anything(), expect.anything()],
    ])
    expect(seen).toContainEqual({ object: 'payment_link', id: plink, status: 'active', event: null })
    expect(seen).toContainEqual({ object: 'invoice', id, status: 'open', event: 'invoice.finalized' })
    const made = await server.sql`select from document_series where merchant_id = ${lamps.merchantId}`
    expect(made).toHaveLength(1)
    // Nothing else comes before the next change.
    await makeLink(server.api, { ...lamps, ...testMode })
    expect(await changes(stream, 1)).toMatchObject([{ object: 'payment_link' }])
    stream.leave()
  })

  test('200: several changes of an object in one commit are one event', async () => {
    const lamps = await shop(server.api)
    const stream = await open(lamps)
    const actor = crypto.randomUUID()
    const create = { ...paymentOpening, ...lamps, ...testMode, windowMinutes: 30, paymentLinkId: crypto.randomUUID() }
    const { owner, path, ...opening } = create
    const outcome = await server.api.actors.dispatchBundle([
      { kind: 'payment', actor, create: opening },
      { kind: 'payment', actor, event: { type: 'cancel' } },
    ])
    expect(outcome.ok).toBe(true)
    const { id: linkId } = await makeLink(server.api, { ...lamps, ...testMode })
    const [first, second] = await changes(stream, 2)
    expect(first).toEqual({
      object: 'payment',
      id: encodeId('pay', actor),
      status: 'canceled',
      event: 'payment.canceled',
    })
    expect(second?.id).toBe(linkId)
    stream.leave()
  })

  test('200: a client that resumes within a commit gets the event of a change before', async () => {
    const lamps = await shop(server.api)
    const [payment, link] = [crypto.randomUUID(), crypto.randomUUID()]
    const { merchantId } = lamps
    const create = { ...paymentOpening, merchantId, ...testMode, windowMinutes: 30, paymentLinkId: crypto.randomUUID() }
    const stream = await open(lamps)
    const outcome = await server.api.actors.dispatchBundle([
      { kind: 'payment', actor: payment, create },
      {
        kind: 'payment_link',
        actor: link,
        create: { ...paymentLinkOpening, merchantId, ...testMode, expiresAt: null },
      },
      { kind: 'payment', actor: payment, event: { type: 'asset_picked', ...payments.events.pick } },
    ])
    expect(outcome.ok).toBe(true)
    const whole = await changes(stream, 1)
    const firstId = stream.lastId()
    expect([...whole, ...(await changes(stream, 1))].map(({ object, event }) => [object, event])).toEqual([
      ['payment_link', null],
      ['payment', 'payment.created'],
    ])
    stream.leave()
    const resumed = await open(lamps, { lastId: firstId })
    const [last] = await changes(resumed, 1)
    expect([last?.object, last?.event]).toEqual(['payment', 'payment.created'])
    resumed.leave()
  })

  test('200: webhook deliveries, from their creation', async () => {
    const lamps = await shop(server.api)
    await makeEndpoint(server.api, lamps, { eventTypes: ['payment.canceled'] })
    const stream = await open(lamps)
    const { id, actor } = await openPayment(server.api, { ...lamps, ...testMode })
    await happen(server.api, actor, { type: 'cancel' })
    const [row] = await server.sql<{ id: string }[]>`select id from deliveries where merchant_id = ${lamps.merchantId}`
    await server.api.actors.dispatch({ kind: 'delivery', actor: row?.id ?? '', event: { type: 'cancel' } })
    const delivery = { object: 'webhook_delivery', id: encodeId('whd', row?.id ?? ''), event: null }
    expect((await changes(stream, 5)).slice(2)).toEqual([
      { ...delivery, status: 'pending' },
      { object: 'payment', id, status: 'canceled', event: 'payment.canceled' },
      { ...delivery, status: 'canceled' },
    ])
    stream.leave()
  })

  test('200: only the changes of this merchant and this mode', async () => {
    const [lamps, chairs] = [await shop(server.api), await shop(server.api, 'Chairs')]
    const streams = [await open(lamps), await open(lamps, { query: '?livemode=true' }), await open(chairs)]
    const make = async (of: Shop, livemode: boolean) => (await makeLink(server.api, { ...of, livemode })).id
    const ids = [await make(lamps, false), await make(lamps, true), await make(chairs, false)]
    const last = [await make(lamps, false), await make(lamps, true), await make(chairs, false)]
    for (const [n, stream] of streams.entries()) {
      expect((await changes(stream, 2)).map(({ id }) => id)).toEqual([ids[n] ?? '', last[n] ?? ''])
      stream.leave()
    }
  })

  test('200: a client that resumes after its last event misses nothing and gets no later event twice', async () => {
    const lamps = await shop(server.api)
    const whose = { ...lamps, ...testMode }
    let stream = await open(lamps)
    const writers = Array.from({ length: 6 }, async () => {
      const { actor } = await openPayment(server.api, whose)
      await happen(server.api, actor, { type: 'cancel' })
    })
    const written = Promise.all(writers).then(() => makeLink(server.api, whose))
    const found: Change[] = []
    // Reconnects after each third event, while others are committed. The link is the last one.
    while (found.at(-1)?.object !== 'payment_link') {
      const [change] = await changes(stream, 1)
      if (change) found.push(change)
      if (found.length % 3 > 0) continue
      stream.leave()
      stream = await open(lamps, { lastId: stream.lastId() })
    }
    stream.leave()
    await written
    // In the order of the feed.
    const rows = await server.sql<{ actor: string; kind: string; to: string }[]>`
      select actor, kind, to_state as "to" from transitions where merchant_id = ${lamps.merchantId} order by era, xid, seq`
    expect(rows).toHaveLength(19)
    expect(found.map(({ id, status }) => `${id} ${status}`)).toEqual(
      rows.map(({ actor, kind, to }) => `${encodeId(kind === 'payment' ? 'pay' : 'plink', actor)} ${to}`),
    )
  })

  test('200: a client that disconnects before the first event resumes from there', async () => {
    const lamps = await shop(server.api)
    const first = await open(lamps)
    const id = await first.firstId()
    first.leave()
    const { id: linkId } = await makeLink(server.api, { ...lamps, ...testMode })
    const again = await open(lamps, { lastId: id })
    expect((await changes(again, 1))[0]?.id).toBe(linkId)
    again.leave()
  })

  test.each([
    '',
    'x',
    '1.2',
    '-1.2.3',
    '1.2.3.4',
    '1.99999999999999999.1',
    '999.1.1',
    '1.18446744073709551616.1',
    '%00',
  ])('200: the ID %p is answered by a reset, and the stream begins now', async lastId => {
    const lamps = await shop(server.api)
    await makeLink(server.api, { ...lamps, ...testMode })
    const stream = await open(lamps, { lastId })
    expect(await stream.next()).toEqual({ id: expect.any(String), event: 'reset', data: {} })
    const after = stream.lastId()
    const { id } = await makeLink(server.api, { ...lamps, ...testMode })
    expect((await changes(stream, 1))[0]?.id).toBe(id)
    stream.leave()
    const again = await open(lamps, { lastId: after })
    expect((await changes(again, 1))[0]?.id).toBe(id)
    again.leave()
  })

  test('a stream ends after its session has ended in another process', async () => {
    const lamps = await shop(server.api)
    const vera = await member(server.api, lamps, 'viewer')
    const [hers, other] = [await open(lamps, { as: vera }), await open(lamps)]
    await server.sql`update sessions set ended_at = now() where account_id = ${vera.accountId}`
    expect(await hers.next()).toBeUndefined()
    const { id } = await makeLink(server.api, { ...lamps, ...testMode })
    expect((await changes(other, 1))[0]?.id).toBe(id)
    other.leave()
  })

  test('a stream ends after its account was removed from the merchant, and shows nothing later', async () => {
    const lamps = await shop(server.api)
    const vera = await member(server.api, lamps, 'viewer')
    const stream = await open(lamps, { as: vera })
    await server.sql`delete from members where account_id = ${vera.accountId}`
    await makeLink(server.api, { ...lamps, ...testMode })
    expect(await stream.next()).toBeUndefined()
  })

  test('a stream ends after its account got another role, and begins again with it', async () => {
    const lamps = await shop(server.api)
    const dev = await member(server.api, lamps, 'developer')
    const [hers, other] = [await open(lamps, { as: dev }), await open(lamps)]
    await server.sql`update members set role = 'viewer' where account_id = ${dev.accountId}`
    expect(await hers.next()).toBeUndefined()
    server.api.sessions.forgetAccount(dev.accountId)
    const again = await open(lamps, { as: dev })
    const { id } = await makeLink(server.api, { ...lamps, ...testMode })
    expect((await changes(again, 1))[0]?.id).toBe(id)
    expect((await changes(other, 1))[0]?.id).toBe(id)
    again.leave()
    other.leave()
  })

  test('429: the eleventh stream of a session, but not one of another session; a closed one is released', async () => {
    const lamps = await shop(server.api)
    const streams = await Promise.all(Array.from({ length: 10 }, () => open(lamps)))
    expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200))
    const refused = await server.call('GET', `${lamps.path}/stream`, { bearer: lamps.owner.bearer })
    expect([refused.status, refused.json]).toMatchObject([429, { error: { code: 'rate_limited' } }])
    expect(refused.headers.get('retry-after')).toBe('5')
    const where = { address: '127.0.0.1', network: '127.0.0.1', userAgent: null }
    const { accessToken } = await openSession(server.api, lamps.owner.accountId, where)
    const another = await open(lamps, { as: { ...lamps.owner, bearer: accessToken } })
    expect(another.response.status).toBe(200)
    for (const each of [...streams, another]) each.leave()
    for (;;) {
      const again = await open(lamps)
      again.leave()
      if (again.response.status === 200) break
    }
  })

  test.each([
    ['livemode=1', 'parameter_invalid', 'livemode'],
    ['livemode=', 'parameter_invalid', 'livemode'],
    ['since=1', 'parameter_unknown', 'since'],
  ])('400: %s', async (query, code, param) => {
    const lamps = await shop(server.api)
    const answer = await server.call('GET', `${lamps.path}/stream?${query}`, { bearer: lamps.owner.bearer })
    expect([answer.status, answer.json]).toMatchObject([400, { error: { code, param } }])
  })
})
