import { expect, test } from 'bun:test'
import {
  type ClaimRequest,
  type EndpointScheduler,
  type OpenRequest,
  openEndpointScheduler,
} from '../../src/webhooks/endpoint-scheduler.ts'
import type { PostOutcome } from '../../src/webhooks/post.ts'

const outcome = (more: Partial<PostOutcome> = {}): PostOutcome => ({
  ...{ outcome: 'delivered', httpStatus: 200, responseSnippet: null, responseHeaders: null },
  ...{ retryAfterSeconds: null, durationMs: 5 },
  ...more,
})
const nobody = outcome({ outcome: 'timeout', httpStatus: null, durationMs: 15_000 })

const named = (asked: readonly ClaimRequest[]) => asked.map(({ endpoint, want }) => [endpoint.id, want])
const noteAll = (scheduler: EndpointScheduler, ...ids: readonly string[]) => {
  for (const id of ids) scheduler.markDue(id, 0, 0)
}
/** Claims everything that is picked, and starts to send it. */
const serve = (scheduler: EndpointScheduler, now = 0, asked = scheduler.nextClaims(now)): OpenRequest[] =>
  asked.flatMap(asking => {
    scheduler.recordClaim(asking, { count: asking.want, lastDueMs: now })
    return Array.from({ length: asking.want }, () => scheduler.startRequest(asking.endpoint.id, now))
  })
const many = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}${n}`)

test('an endpoint has as many simultaneous requests as its window, and more when they are answered', () => {
  const scheduler = openEndpointScheduler()
  noteAll(scheduler, 'a')
  const requests = serve(scheduler)
  expect(requests).toHaveLength(4)
  expect(scheduler.nextClaims(0)).toEqual([])
  for (const request of requests.slice(0, 2)) scheduler.endRequest(request, outcome())
  expect(named(scheduler.nextClaims(0))).toEqual([['a', 4]])
})

test('an endpoint without room keeps its position and does not block those after it', () => {
  const scheduler = openEndpointScheduler()
  noteAll(scheduler, 'full')
  const requests = serve(scheduler)
  noteAll(scheduler, 'b')
  expect(named(scheduler.nextClaims(0))).toEqual([['b', 4]])
  noteAll(scheduler, 'c')
  for (const request of requests.slice(0, 1)) scheduler.endRequest(request, outcome())
  expect(named(scheduler.nextClaims(0))).toEqual([
    ['full', 2],
    ['c', 4],
  ])
})

test('the endpoint that was served the longest ago is first', () => {
  const scheduler = openEndpointScheduler()
  noteAll(scheduler, 'a', 'b', 'c')
  const requests = serve(scheduler)
  for (const id of ['b', 'c', 'a'])
    for (const request of requests.filter(f => f.endpoint.id === id)) scheduler.endRequest(request, outcome())
  expect(named(scheduler.nextClaims(0)).map(([id]) => id)).toEqual(['a', 'b', 'c'])
})

test('an endpoint that had less than was requested is not picked again until it is marked as due', () => {
  const scheduler = openEndpointScheduler()
  noteAll(scheduler, 'a')
  const [asking] = scheduler.nextClaims(0)
  if (!asking) throw new Error('no claim was returned')
  scheduler.recordClaim(asking, { count: 1, lastDueMs: 70 })
  expect(scheduler.nextClaims(0)).toEqual([])
  scheduler.markDue('a', 90, 0)
  expect(scheduler.nextClaims(0)[0]?.endpoint.lowMs).toBe(70)
})

test('what becomes due during a claim is not cleared by its result', () => {
  const scheduler = openEndpointScheduler()
  scheduler.markDue('a', 50, 0)
  const [asking] = scheduler.nextClaims(0)
  if (!asking) throw new Error('no claim was returned')
  scheduler.markDue('a', 40, 0)
  scheduler.recordClaim(asking, { count: 0, lastDueMs: 0 })
  expect(scheduler.nextClaims(0)[0]?.endpoint.lowMs).toBe(40)
})

test('shares are fair: with a hundred active endpoints none gets more than six', () => {
  const scheduler = openEndpointScheduler()
  const ids = many(100, 'e')
  for (let round = 0; round < 40; round++) {
    noteAll(scheduler, ...ids)
    for (const request of serve(scheduler)) scheduler.endRequest(request, outcome())
  }
  noteAll(scheduler, ...ids)
  const asked = scheduler.nextClaims(0)
  expect(asked.map(({ want }) => want).every(want => want <= 6)).toBe(true)
  expect(asked.reduce((sum, { want }) => sum + want, 0)).toBe(256)
})

test('a request that waits for more than a quarter of a second no longer counts, and a timeout shrinks the window', () => {
  const scheduler = openEndpointScheduler()
  noteAll(scheduler, ...many(200, 'e'))
  for (let i = 0; i < 3; i++) serve(scheduler)
  expect(scheduler.nextClaims(0)).toEqual([])
  scheduler.refresh(240)
  expect(scheduler.nextClaims(0)).toEqual([])
  scheduler.refresh(260)
  expect(scheduler.nextClaims(0).length).toBeGreaterThan(0)
  scheduler.refresh(1_100)
  noteAll(scheduler, 'healthy')
  expect(scheduler.nextClaims(0).find(({ endpoint }) => endpoint.id === 'healthy')?.want).toBe(3)
})

test('a slow endpoint gets only a part of a claim', () => {
  const scheduler = openEndpointScheduler()
  const slow = many(50, 'slow')
  for (const id of slow) scheduler.startRequest(id, 0)
  scheduler.refresh(1_100)
  noteAll(scheduler, ...slow, 'healthy')
  const asked = scheduler.nextClaims(1_100)
  const ofSlow = asked.filter(({ endpoint }) => endpoint.id !== 'healthy').reduce((sum, { want }) => sum + want, 0)
  expect(ofSlow).toBe(32)
  expect(named(asked)).toContainEqual(['healthy', 4])
})

test('endpoints whose requests timed out are tried at a limited rate, however many claims there are', () => {
  const scheduler = openEndpointScheduler()
  const dead = many(400, 'dead')
  for (const id of dead) for (const request of [scheduler.startRequest(id, 0)]) scheduler.endRequest(request, nobody)
  let tried = 0
  for (let now = 0; now <= 1_000; now += 5) {
    noteAll(scheduler, ...dead, 'healthy')
    const asked = scheduler.nextClaims(now)
    tried += asked.reduce((sum, { endpoint, want }) => sum + (endpoint.id === 'healthy' ? 0 : want), 0)
    expect(asked.some(({ endpoint }) => endpoint.id === 'healthy')).toBe(true)
  }
  expect(tried).toBe(16 + 128)
})

test('a thousand dead endpoints leave half of the sockets to the others', () => {
  const scheduler = openEndpointScheduler()
  const dead = many(1_000, 'dead')
  let now = 0
  for (let round = 0; round < 400; round++) {
    noteAll(scheduler, ...dead)
    serve(scheduler, now)
    now += 100
    scheduler.refresh(now)
  }
  const held = scheduler.openRequests()
  expect(held).toBeLessThanOrEqual(4_096 / 2 + 32)
  noteAll(scheduler, 'healthy')
  expect(named(scheduler.nextClaims(0))).toContainEqual(['healthy', 1])
})

test('an endpoint that does not respond gets one request at a time until its first response', () => {
  const scheduler = openEndpointScheduler()
  noteAll(scheduler, 'a')
  for (let i = 0; i < 2; i++) for (const request of serve(scheduler)) scheduler.endRequest(request, nobody)
  expect(named(scheduler.nextClaims(0))).toEqual([['a', 1]])
})

test('an endpoint without events for ten minutes is removed', () => {
  const scheduler = openEndpointScheduler()
  noteAll(scheduler, 'a')
  for (const request of serve(scheduler)) scheduler.endRequest(request, nobody)
  for (const asking of scheduler.nextClaims(0)) scheduler.recordClaim(asking, { count: 0, lastDueMs: 0 })
  scheduler.refresh(700_000)
  scheduler.markDue('a', 5, 700_000)
  expect(scheduler.nextClaims(0)[0]?.endpoint.lowMs).toBe(5)
})
