import { describe, expect, test } from 'bun:test'
import { routes } from '../../../src/http/routes.ts'
import { decodeId, encodeId } from '../../../src/ids.ts'
import { hash } from '../../machines/payment-cases.ts'
import { makePayment, openPayment, seen } from '../payments.ts'
import { operator } from '../people.ts'
import { twoShops } from '../two-shops.ts'
import { makeEndpoint, sendTest } from '../webhooks.ts'

const { server, lamps, ask } = await twoShops({ routes })
const { bearer, id: operatorId } = await operator(server.api)
const mode = { merchantId: lamps.merchantId, livemode: false }

type Attempt = { readonly number: number; readonly outcome: string | null; readonly httpStatus: number | null }
type Step = {
  readonly id: string
  readonly requestId: string | null
  readonly commandId: string | null
  readonly source: { readonly eventId: string; readonly actorId: string | null; readonly rev: number } | null
  readonly transition: { readonly event: string; readonly cause: { readonly type: string; readonly id: string | null } }
  readonly events: readonly {
    readonly id: string
    readonly type: string
    readonly deliveries: readonly {
      readonly id: string
      readonly endpointId: string
      readonly attempts: readonly Attempt[]
    }[]
  }[]
  readonly attempt: Attempt | null
  readonly transfers: readonly {
    readonly txHash: string | null
    readonly network: string
    readonly state: string
    readonly counted: boolean
  }[]
}

const story = async (id: string, query = '') => {
  const { status, json } = await server.call('GET', `/v1/ops/actors/${id}/story${query}`, { bearer })
  expect(status).toBe(200)
  return json as { readonly data: readonly Step[]; readonly has_more: boolean }
}

const insertAttempt = (delivery: string, number: number, outcome: string, status: number) => server.sql`
  insert into delivery_attempts (
    delivery_id, number, trigger, worker, started_at, finished_at, duration_ms, outcome, http_status)
  values (${delivery}, ${number}, 'automatic', gen_random_uuid(), now(), now(), 84, ${outcome}, ${status})`

const insertTransfer = (payment: string, tx: string, minedAt: Date, logIndex = 0) => server.sql`
  insert into transfers (
    chain_id, tx_hash, log_index, block_number, block_hash, mined_at, payment_id, from_address, to_address, amount, state)
  values (31337, ${tx}, ${logIndex}, 7, ${hash(1)}, ${minedAt}, ${payment}, '0xsender', '0xaddress', 1, 'seen')`

describe('GET /v1/ops/actors/:id/story', () => {
  test('200: the request that created it and the one that changed it, by the IDs of their answers', async () => {
    const json = { amountMinor: 1000, currency: 'EUR', title: 'Lamp' }
    const created = await ask('POST', '/payment-links', { json })
    const { id } = created.json as { id: string }
    const sent = await server.call('POST', `/v1/ops/actors/${id}/events`, {
      bearer,
      json: { type: 'deactivate', reason: 'ticket: 7' },
    })
    const { data, has_more } = await story(id)
    expect(data.map(({ transition, requestId }) => [transition.event, transition.cause.type, requestId])).toEqual([
      ['create', 'api_key', created.headers.get('request-id')],
      ['deactivate', 'operator', sent.headers.get('request-id')],
    ])
    expect(data[1]).toMatchObject({
      ...{ object: 'story_step', id: `${id}:2`, source: null, attempt: null, transfers: [], events: [] },
      transition: { cause: { id: operatorId, name: null }, reason: 'ticket: 7' },
    })
    expect(data.every(({ commandId }) => commandId !== null)).toBe(true)
    expect(has_more).toBe(false)
    // The shop sees the same caller as before.
    const history = await ask('GET', `/payment-links/${id}/history`, { bearer: lamps.owner.bearer, path: lamps.path })
    expect((history.json as { data: object[] }).data[0]).toMatchObject({ cause: { type: 'api_key' } })
  })

  test('200: the request of a customer, and the public event with its delivery and the answers to its attempts', async () => {
    const { row } = await makeEndpoint(server.api, lamps, { eventTypes: ['payment.created'] })
    const link = await ask('POST', '/payment-links', { json: { amountMinor: 1000, currency: 'EUR', title: 'Lamp' } })
    const { id: linkId } = link.json as { id: string }
    const opened = await server.call('POST', `/v1/checkout/links/${linkId}/payments`, {
      json: { customerEmail: 'ada@example.com' },
    })
    expect(opened.status).toBe(201)
    const { payment } = opened.json as { payment: { id: string } }
    const [delivery] = await server.sql<{ id: string }[]>`
      select d.id from deliveries d join events e on e.id = d.event_id where e.actor = ${decodeId('pay', payment.id) ?? ''}`
    const deliveryId = delivery?.id ?? ''
    await insertAttempt(deliveryId, 1, 'http_error', 500)
    for (let number = 2; number <= 7; number++) await insertAttempt(deliveryId, number, 'timeout', 0)
    const { data } = await story(payment.id)
    expect(data[0]).toMatchObject({
      requestId: opened.headers.get('request-id'),
      transition: { event: 'create', cause: { type: 'customer', id: null, name: null } },
      events: [
        {
          type: 'payment.created',
          deliveries: [{ id: encodeId('whd', deliveryId), endpointId: encodeId('whe', row.id) }],
        },
      ],
    })
    expect((await story(linkId)).data.at(-1)?.requestId).toBe(opened.headers.get('request-id'))
    const attempts = data[0]?.events[0]?.deliveries[0]?.attempts ?? []
    expect(attempts.map(({ number }) => number)).toEqual([3, 4, 5, 6, 7])

    // The delivery leads back to the payment.
    const [first] = (await story(encodeId('whd', deliveryId))).data
    expect(first).toMatchObject({
      transition: { event: 'create' },
      source: { eventId: data[0]?.events[0]?.id, type: 'payment.created', actorId: payment.id, rev: 1 },
    })
    await server.sql`delete from delivery_attempts where delivery_id = ${deliveryId}`
  })

  test('200: each attempt of a delivery, with the change that ended it', async () => {
    const delivery = await sendTest(server.api, lamps, (await makeEndpoint(server.api, lamps)).row)
    const happen = (event: { type: string } & Record<string, unknown>) =>
      server.api.actors.dispatch({ kind: 'delivery', actor: delivery, event, cause: 'sender' })
    await happen({ type: 'attempt_started' })
    await insertAttempt(delivery, 1, 'http_error', 500)
    await happen({ type: 'attempt_failed', attempt: 1, jitter: 0, retryAfterSeconds: null })
    const { data } = await story(encodeId('whd', delivery))
    expect(data.map(({ transition, attempt }) => [transition.event, attempt?.httpStatus ?? null])).toEqual([
      ['create', null],
      ['attempt_started', null],
      ['attempt_failed', 500],
    ])
    // A test event is of no actor.
    expect(data[0]?.source).toMatchObject({ type: 'webhook_endpoint.test', actorId: null })
    expect(data[0]?.commandId).toBeNull()
  })

  test('200: transfers are with the change that followed them, by their hash and otherwise by their time', async () => {
    const { id, actor } = await openPayment(server.api, mode)
    const early = new Date(Date.now() - 60_000)
    const dispatch = (event: { type: string } & Record<string, unknown>) =>
      server.api.actors.dispatch({ kind: 'payment', actor, event, cause: 'chain:31337' })
    await insertTransfer(actor, hash(3), early)
    await dispatch({ ...seen('too_little_seen', 1n), txHash: hash(3) })
    // Its block is older than the first change, but it is the second one that names it.
    await insertTransfer(actor, hash(4), early, 1)
    await insertTransfer(actor, hash(5), new Date(), 2)
    await dispatch({ ...seen('too_little_seen', 2n), scan: 6, txHash: hash(4) })
    await insertTransfer(actor, hash(6), new Date(Date.now() + 60_000), 3)
    const { data } = await story(id)
    const shown = data.map(({ transition, transfers }) => [
      transition.event,
      transfers.map(({ txHash, counted }) => `${txHash?.[2]} ${counted}`),
    ])
    expect(shown).toEqual([
      ['create', []],
      ['asset_picked', []],
      ['too_little_seen', ['3 true']],
      ['too_little_seen', ['4 true', '5 true', '6 false']],
    ])
    expect(JSON.stringify(data)).not.toContain('0xsender')
    await server.sql`delete from transfers where payment_id = ${actor}`
    await server.sql`delete from transfer_sums where payment_id = ${actor}`
    await server.sql`delete from unsettled_payments where payment_id = ${actor}`
  })

  test('200: pages', async () => {
    const { id } = await makePayment(server.api, mode, 'success')
    const whole = (await story(id)).data
    const first = await story(id, '?limit=1')
    expect([first.has_more, first.data]).toEqual([true, whole.slice(0, 1)])
    expect((await story(id, `?startingAfter=${id}:1`)).data).toEqual(whole.slice(1))
    expect((await story(id, '?order=desc')).data).toEqual(whole.toReversed())
  })

  test('404: a record that does not exist, and an ID of another form', async () => {
    for (const id of [encodeId('pay', crypto.randomUUID()), 'cus_1'])
      expect((await server.call('GET', `/v1/ops/actors/${id}/story`, { bearer })).status).toBe(404)
  })
})
