import { afterAll, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { findDelivery } from '../../src/queries/deliveries.ts'
import type { EventRow } from '../../src/queries/events.ts'
import { deliveryRecord } from '../../src/records/delivery.ts'
import { eventBody } from '../../src/records/event.ts'
import { verifyWebhook } from '../../src/verify-webhook/index.ts'
import { bodyOf, MAX_BODY_BYTES } from '../../src/webhooks/body.ts'
import { until } from '../harness/until.ts'
import { change } from './endpoints.ts'
import { keyring } from './loopback.ts'
import { receiver } from './receiver.ts'
import { attemptsOf, deliveriesOf, reaches, SECRET, sendingInstance } from './sending-instance.ts'

/** The random bytes for retry delays, from 0 to 255; ids stay random. */
let chance = 0
const instance = await sendingInstance({
  random: bytes => (bytes.length === 4 ? bytes.fill(chance) : crypto.getRandomValues(bytes)),
})
const { sql } = instance
const { actors } = instance.world
const sender = instance.startSender({ stopGraceMs: 0 })
afterAll(() => instance[Symbol.asyncDispose]())

const outcomesOf = async (id: string) =>
  (await attemptsOf(instance, id)).map(({ outcome, http_status }) => http_status ?? outcome)
const redeliver = (actor: string) => actors.dispatch({ kind: 'delivery', actor, event: { type: 'redeliver' } })

/** Longer than the sender needs to poll for due deliveries of the endpoint. */
const sent = async (...endpointIds: readonly string[]) => {
  await using shop = await receiver()
  const otherEndpoint = await instance.addEndpoint(shop.url)
  await instance.insertEvents(otherEndpoint)
  sender.wake([...endpointIds, otherEndpoint])
  await reaches(instance, otherEndpoint, 'delivered', 1)
}

test('a failing receiver gets five attempts, after 5 s, 60 s, 12 min and 2 h, and no more', async () => {
  await using shop = await receiver(500)
  const endpoint = await instance.addEndpoint(shop.url)
  await instance.insertEvents(endpoint)
  for (const [index, seconds] of [5, 60, 720, 7_200].entries()) {
    const { id, next_attempt_at } = await reaches(instance, endpoint, 'pending', index + 1)
    expect(next_attempt_at?.getTime()).toBe(instance.clock.now().getTime() + seconds * 1_000)
    instance.clock.advance(seconds * 1_000 - 1)
    await sent(endpoint)
    expect(await outcomesOf(id)).toHaveLength(index + 1)
    instance.clock.advance(1)
  }
  const { id } = await reaches(instance, endpoint, 'failed', 5)
  instance.clock.advance(48 * 3_600_000)
  await sent(endpoint)
  expect(shop.seen).toHaveLength(5)
  expect(new Set(shop.seen.map(({ body }) => body)).size).toBe(1)
  expect(await outcomesOf(id)).toEqual([500, 500, 500, 500, 500])

  // Manual attempts are not limited.
  await redeliver(id)
  expect(await reaches(instance, endpoint, 'failed', 6)).toMatchObject({ automatic_attempts: 5 })
  shop.answer(200)
  await redeliver(id)
  await reaches(instance, endpoint, 'delivered', 7)
  expect(shop.seen).toHaveLength(7)
})

test('jitter makes a delay up to a fifth longer, and Retry-After up to twice as long', async () => {
  await using shop = await receiver((response, seen) =>
    response.writeHead(503, seen > 1 ? { 'Retry-After': '90' } : {}).end(),
  )
  const endpoint = await instance.addEndpoint(shop.url)
  chance = 255
  await instance.insertEvents(endpoint)
  const first = await reaches(instance, endpoint, 'pending', 1)
  expect(first.next_attempt_at?.getTime()).toBe(instance.clock.now().getTime() + 6_000)
  chance = 0
  instance.clock.advance(6_000)
  sender.wake([endpoint])
  const second = await reaches(instance, endpoint, 'pending', 2)
  expect(second.next_attempt_at?.getTime()).toBe(instance.clock.now().getTime() + 90_000)
})

test.each([
  ['the scheduled wait', 0, [5, 60, 720, 7_200]],
  ['the jitter', 255, [6, 72, 864, 8_640]],
])('a Retry-After below the scheduled delay does not shorten %s', async (_, drawn, waits) => {
  const retryAfter = [2, 59, 719, 7_199]
  await using shop = await receiver((response, seen) =>
    response.writeHead(503, { 'Retry-After': String(retryAfter[seen - 1] ?? 0) }).end(),
  )
  const endpoint = await instance.addEndpoint(shop.url)
  chance = drawn
  await instance.insertEvents(endpoint)
  for (const [index, seconds] of waits.entries()) {
    const { next_attempt_at } = await reaches(instance, endpoint, 'pending', index + 1)
    expect(next_attempt_at?.getTime()).toBe(instance.clock.now().getTime() + seconds * 1_000)
    instance.clock.advance(seconds * 1_000)
    sender.wake([endpoint])
  }
  await reaches(instance, endpoint, 'failed', 5)
  chance = 0
})

test('an event is sent when it is committed, with the body of the feed and a valid signature', async () => {
  await using shop = await receiver()
  // Polling is off, so only the commit wakes the sender.
  await using woken = await sendingInstance()
  const endpoint = await woken.addEndpoint(shop.url)
  woken.startSender({ pollMs: 60_000, sweepMs: 60_000 })
  await woken.openPayment()
  await reaches(woken, endpoint, 'delivered', 1)
  const [{ body, headers } = expect.unreachable()] = shop.seen
  const [row] = await woken.world.sql<EventRow[]>`
    select id, type, created_at as "createdAt", livemode, api_version as "apiVersion", json_of(object) as object from events`
  expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(eventBody(row ?? expect.unreachable()))))
  const now = woken.clock.now()
  expect(verifyWebhook({ body, headers, secret: SECRET, now })).toMatchObject({ id: row?.id })
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': row?.id })
})

test('a redirect ends a delivery and is not followed', async () => {
  await using elsewhere = await receiver()
  await using shop = await receiver(response => response.writeHead(307, { Location: elsewhere.url }).end())
  const endpoint = await instance.addEndpoint(shop.url)
  await instance.insertEvents(endpoint)
  const { id } = await reaches(instance, endpoint, 'failed', 1)
  expect(await outcomesOf(id)).toEqual([307])
  expect(elsewhere.seen).toEqual([])
})

test('a forbidden address ends a delivery without a request', async () => {
  const endpoint = await instance.addEndpoint('http://10.0.0.1/')
  await instance.insertEvents(endpoint)
  const { id } = await reaches(instance, endpoint, 'failed', 1)
  expect(await outcomesOf(id)).toEqual(['forbidden_address'])
})

const shape = {
  ...{ eventId: crypto.randomUUID(), eventType: 'webhook_endpoint.test', eventCreated: '1700000000', livemode: false },
  apiVersion: '2026-11-20',
}

test('a body of 20 KiB is sent; a larger one is not sent and not truncated', async () => {
  await using shop = await receiver()
  const room = MAX_BODY_BYTES - bodyOf({ ...shape, object: '{"x":""}' }).length
  const [fits, larger] = [await instance.addEndpoint(shop.url), await instance.addEndpoint(shop.url)]
  await instance.insertEvents(fits, 1, { x: 'x'.repeat(room) })
  await instance.insertEvents(larger, 1, { x: 'x'.repeat(room + 1) })
  await reaches(instance, fits, 'delivered', 1)
  const { id } = await reaches(instance, larger, 'failed', 1)
  expect(await outcomesOf(id)).toEqual(['body_too_large'])
  expect(shop.seen.map(({ body }) => Buffer.byteLength(body))).toEqual([MAX_BODY_BYTES])
})

test('a delivered event can be sent again by hand, with a new timestamp, and stays delivered if that fails', async () => {
  await using shop = await receiver()
  const endpoint = await instance.addEndpoint(shop.url)
  await instance.insertEvents(endpoint)
  const { id } = await reaches(instance, endpoint, 'delivered', 1)
  instance.clock.advance(60_000)
  await redeliver(id)
  await reaches(instance, endpoint, 'delivered', 2)
  shop.answer(500)
  await redeliver(id)
  await reaches(instance, endpoint, 'delivered', 3)
  expect(await attemptsOf(instance, id)).toMatchObject([
    { trigger: 'automatic', http_status: 200 },
    { trigger: 'manual', http_status: 200 },
    { trigger: 'manual', http_status: 500 },
  ])
  const [first, second] = shop.seen
  expect(second?.body).toBe(first?.body ?? '')
  expect(Number(second?.headers['webhook-timestamp']) - Number(first?.headers['webhook-timestamp'])).toBe(60)
})

test('a changed endpoint is used from the next request on', async () => {
  await using before = await receiver()
  await using after = await receiver()
  const endpoint = await instance.addEndpoint(before.url)
  await instance.insertEvents(endpoint)
  await reaches(instance, endpoint, 'delivered', 1)
  const sealed = keyring.seal('webhook secret', endpoint, OTHER_SECRET)
  await sql`
    update webhook_endpoints set url = ${after.url}, updated_at = updated_at + interval '1 ms', sealed_secret = ${sealed},
      previous_sealed_secret = sealed_secret, previous_until = ${instance.clock.now()}::timestamptz + interval '1 hour'
    where id = ${endpoint}`
  const verifies = (secret: string) => {
    const [{ body, headers } = expect.unreachable()] = after.seen.slice(-1)
    return () => verifyWebhook({ body, headers, secret, now: instance.clock.now() })
  }
  await instance.insertEvents(endpoint)
  await until(() => after.seen.length === 1)
  for (const secret of [SECRET, OTHER_SECRET]) expect(verifies(secret)).not.toThrow()
  instance.clock.advance(3_600_001)
  await instance.insertEvents(endpoint)
  await until(() => after.seen.length === 2)
  expect(verifies(OTHER_SECRET)).not.toThrow()
  expect(verifies(SECRET)).toThrow()
})

const OTHER_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

test('an endpoint whose secret cannot be decrypted does not block others', async () => {
  await using shop = await receiver()
  const [locked, open] = [
    await instance.addEndpoint(shop.url, { sealed_secret: 'v1.other.x' }),
    await instance.addEndpoint(shop.url),
  ]
  await instance.insertEvents(locked)
  await instance.insertEvents(open)
  await reaches(instance, open, 'delivered', 1)
  const { id } = await reaches(instance, locked, 'pending', 1)
  expect(await outcomesOf(id)).toEqual(['not_signed'])
})

test('a delivery canceled during its request is canceled when the request ends', async () => {
  const waiting: ServerResponse[] = []
  await using shop = await receiver(response => waiting.push(response))
  const [fails, succeeds] = [await instance.addEndpoint(shop.url), await instance.addEndpoint(`${shop.url}?well`)]
  for (const [index, endpoint] of [fails, succeeds].entries()) {
    await instance.insertEvents(endpoint)
    const { id } = await reaches(instance, endpoint, 'sending', 1)
    await until(() => waiting.length === index + 1)
    expect(await actors.dispatch({ kind: 'delivery', actor: id, event: { type: 'cancel' } })).toMatchObject({
      ok: true,
    })
  }
  for (const [index, status] of [500, 200].entries()) waiting[index]?.writeHead(status).end()
  expect(await outcomesOf((await reaches(instance, fails, 'canceled', 1)).id)).toEqual([500])
  expect(await outcomesOf((await reaches(instance, succeeds, 'delivered', 1)).id)).toEqual([200])
})

test('a receiver that does not respond does not block others', async () => {
  await using dead = await receiver('silence')
  await using shop = await receiver()
  const [silent, healthy] = [await instance.addEndpoint(dead.url), await instance.addEndpoint(shop.url)]
  await instance.insertEvents(silent, 100)
  await until(() => dead.seen.length === 4)
  await instance.insertEvents(healthy, 100)
  await until(() => shop.seen.length === 100)
  expect(dead.seen).toHaveLength(4)
  expect(await change(sql, silent, { status: 'disabled' })).toBe('changed')
  await until(async () => (await deliveriesOf(instance, healthy)).every(({ state }) => state === 'delivered'))
})

test('an attempt has the headers of its request without signatures, and the first headers of its response', async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`x-${n}`, String(n)]))
  await using shop = await receiver(response =>
    response.writeHead(500, { 'x-long': 'é'.repeat(300), 'set-cookie': 'session=secret', ...many }).end(),
  )
  const endpoint = await instance.addEndpoint(shop.url)
  await instance.insertEvents(endpoint)
  const { id } = await reaches(instance, endpoint, 'pending', 1)
  const attempt = await firstAttempt(id)
  const [seen] = shop.seen
  const readable = (value = '') => value.replace(/v1=[0-9a-f]{64}/g, 'v1=…').replace(/v1,[\w+/]{43}=/g, 'v1,…')
  const received = Object.keys(attempt?.requestHeaders ?? {}).map(name => [
    name,
    readable(String(seen?.headers[name.toLowerCase()])),
  ])
  expect(received).toHaveLength(6)
  expect(attempt?.requestHeaders).toEqual(Object.fromEntries(received))
  const shown = Object.entries(attempt?.responseHeaders ?? {})
  expect(shown).toHaveLength(20)
  expect(shown.slice(0, 3)).toEqual([
    ['x-long', 'é'.repeat(200)],
    ['x-0', '0'],
    ['x-1', '1'],
  ])
})

test('an attempt without a request has no headers', async () => {
  const endpoint = await instance.addEndpoint('https://10.0.0.1/hooks')
  await instance.insertEvents(endpoint)
  const { id } = await reaches(instance, endpoint, 'failed', 1)
  expect(await firstAttempt(id)).toMatchObject({
    outcome: 'forbidden_address',
    requestHeaders: null,
    responseHeaders: null,
  })
})

/** As in the API. */
const firstAttempt = async (id: string) => {
  const [row] = await sql<{ merchantId: string }[]>`select merchant_id as "merchantId" from deliveries where id = ${id}`
  const found = await findDelivery(sql, { id, merchantId: row?.merchantId ?? '', livemode: undefined })
  return found && deliveryRecord.render(found.delivery, found.attempts).attempts[0]
}
