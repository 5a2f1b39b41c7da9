import { afterAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { cancelDeliveries } from '../../tasks/cancel-deliveries.ts'
import { recoverDeliveriesTask } from '../../tasks/recover-deliveries.ts'
import { events as log } from './api-keys.ts'
import { expectNoCursors, expectPages, idsOf } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { type Shop, shop } from './people.ts'
import {
  call,
  type Delivery,
  type Endpoint,
  errorOf,
  type Listed,
  publishPaymentEvents,
  startServer,
  url,
} from './webhooks.ts'

const server = await startServer()
afterAll(async () => {
  // Nothing is sent here, so the events are reported without rows of attempts.
  const senderEvent = new Set(['I5', 'I7'])
  expect((await audit(server.sql, kinds)).filter(({ invariant }) => !senderEvent.has(invariant))).toEqual([])
  await server[Symbol.asyncDispose]()
})

const path = 'webhook-endpoints'
const uuid = (id: string) => decodeId(id.startsWith('whe') ? 'whe' : 'whd', id) ?? ''

const makeEndpoint = async (at: Shop, json: object = {}) =>
  (await call(server, at, 'POST', path, { json: { url, eventTypes: ['payment.created'], ...json } })).record

/** The deliveries of one endpoint, oldest first. */
const sentTo = async (at: Shop, { id, livemode }: Endpoint, count: number) => {
  for (let n = 0; n < count; n++) await publishPaymentEvents(server.api, at, livemode)
  return idsOf((await list(at, id, '?order=asc')).record)
}

const list = (at: Shop, endpoint: string, query = '') =>
  call<Listed<Delivery>>(server, at, 'GET', `${path}/${endpoint}/deliveries${query}`)
const get = (at: Shop, id: string) => call<Delivery>(server, at, 'GET', `deliveries/${id}`)

/** The outcome that a sender reports. */
const applyEvent = async (id: string, ...types: string[]) => {
  for (const type of types) {
    const actor = uuid(id)
    const [row] = await server.sql<{ attempts: number }[]>`select attempts from deliveries where id = ${actor}`
    const event = { type, attempt: row?.attempts, jitter: 0, retryAfterSeconds: null }
    const outcome = await server.api.actors.dispatch({ kind: 'delivery', actor, event })
    expect([type, outcome.ok]).toEqual([type, true])
  }
}
const helpers = (name: string) => ({ job: { id: '1', task_identifier: name, attempts: 1 } })
const fail = (id: string) => applyEvent(id, 'attempt_started', 'attempt_failed_permanently')
const deliver = (id: string) => applyEvent(id, 'attempt_started', 'attempt_succeeded')

describe('GET /webhook-endpoints/:id/deliveries', () => {
  test('200: newest first by pages, oldest first, and only those of this endpoint', async () => {
    const lamps = await shop(server.api)
    const [one, two] = [await makeEndpoint(lamps), await makeEndpoint(lamps)]
    const ids = await sentTo(lamps, one, 6)
    expect(ids).toHaveLength(6)
    await expectPages(async query => (await list(lamps, one.id, query)).record, ids)
    expect((await list(lamps, two.id)).record.data.map(({ endpointId }) => endpointId)).toEqual(Array(6).fill(two.id))
    const [other = ''] = idsOf((await list(lamps, two.id)).record)
    await expectNoCursors(query => list(lamps, one.id, query), [other, one.id, 'whd_1'])
  })

  test('200: filtered by state; a delivery being sent counts as pending', async () => {
    const lamps = await shop(server.api)
    const endpoint = await makeEndpoint(lamps)
    const [failed = '', delivered = '', sending = '', canceled = '', pending = ''] = await sentTo(lamps, endpoint, 5)
    await fail(failed)
    await deliver(delivered)
    await applyEvent(sending, 'attempt_started')
    await applyEvent(canceled, 'cancel')
    const of = async (status: string, more = '') =>
      idsOf((await list(lamps, endpoint.id, `?status=${status}${more}`)).record)
    expect(await of('failed')).toEqual([failed])
    expect(await of('delivered')).toEqual([delivered])
    expect(await of('canceled')).toEqual([canceled])
    expect(await of('pending')).toEqual([pending, sending])
    expect(await of('pending', '&order=asc&limit=1')).toEqual([sending])
    expect(await of('pending', `&order=asc&startingAfter=${sending}`)).toEqual([pending])
    expect(await of('failed', `&order=asc&startingAfter=${failed}`)).toEqual([])
    const statuses = (await list(lamps, endpoint.id)).record.data.map(({ status }) => status)
    expect(statuses).toEqual(['pending', 'canceled', 'pending', 'delivered', 'failed'])
  })

  test('200: a new delivery is listed immediately for the caller that caused it', async () => {
    const lamps = await shop(server.api)
    const endpoint = await makeEndpoint(lamps)
    for (let n = 0; n < 5; n++) {
      const { record } = await call<Delivery>(server, lamps, 'POST', `${path}/${endpoint.id}/test`)
      expect(idsOf((await list(lamps, endpoint.id, '?limit=1')).record)).toEqual([record.id])
    }
  })

  test.each(['status=sending', 'status=', 'limit=0', 'order=up'])('400: %s', async query => {
    const lamps = await shop(server.api)
    const { id } = await makeEndpoint(lamps)
    const answer = await list(lamps, id, `?${query}`)
    expect([answer.status, errorOf(answer)?.param]).toEqual([400, query.split('=')[0]])
  })
})

describe('GET /deliveries', () => {
  const all = (at: Shop, query = '') => call<Listed<Delivery>>(server, at, 'GET', `deliveries${query}`)

  test('200: those of all endpoints in one mode, newest first by pages and oldest first', async () => {
    const [lamps, chairs] = [await shop(server.api), await shop(server.api, 'Chairs')]
    await sentTo(chairs, await makeEndpoint(chairs), 1)
    for (let n = 0; n < 2; n++) await makeEndpoint(lamps, { eventTypes: ['payment.created', 'payment.canceled'] })
    const live = await makeEndpoint(lamps, { livemode: true })
    await publishPaymentEvents(server.api, lamps)
    await publishPaymentEvents(server.api, lamps)
    const rows = await server.sql<{ id: string }[]>`
      select id from deliveries where merchant_id = ${lamps.merchantId} order by seq`
    const ids = rows.map(({ id }) => encodeId('whd', id))
    expect(ids).toHaveLength(8)
    await expectPages(async query => (await all(lamps, query)).record, ids)
    const [liveId = ''] = await sentTo(lamps, live, 1)
    expect(idsOf((await all(lamps, '?livemode=true')).record)).toEqual([liveId])
    expect(idsOf((await all(lamps)).record)).toEqual(ids.toReversed())
    const [foreign = ''] = idsOf((await all(chairs)).record)
    await expectNoCursors(query => all(lamps, query), [foreign, liveId, live.id, 'whd_1'])
  })

  test('200: filters by status, event type, event and endpoint combine', async () => {
    const lamps = await shop(server.api)
    const eventTypes = ['payment.created', 'payment.canceled']
    const endpoints = [await makeEndpoint(lamps, { eventTypes }), await makeEndpoint(lamps, { eventTypes })]
    for (let n = 0; n < 3; n++) await publishPaymentEvents(server.api, lamps)
    const everything = (await all(lamps, '?limit=100')).record.data
    for (const [n, { id }] of everything.entries())
      await [
        deliver,
        fail,
        (one: string) => applyEvent(one, 'cancel'),
        (one: string) => applyEvent(one, 'attempt_started'),
        async () => {},
      ][n % 5]?.(id)
    const now = (await all(lamps, '?limit=100')).record.data
    expect(new Set(now.map(({ status }) => status)).size).toBe(4)
    const one = now[5]?.eventId
    let filled = 0
    for (const status of [undefined, 'pending', 'delivered', 'failed', 'canceled'])
      for (const eventType of [undefined, ...eventTypes, 'refund.failed'])
        for (const eventId of [undefined, one, crypto.randomUUID()])
          for (const endpointId of [undefined, endpoints[1]?.id]) {
            const given = Object.entries({ status, eventType, eventId, endpointId }).filter(([, value]) => value)
            const wanted = now.filter(each => given.every(([name, value]) => Object(each)[name] === value))
            if (wanted.length > 0) filled++
            const query = new URLSearchParams(given as [string, string][])
            const found = idsOf((await all(lamps, `?${query}`)).record)
            expect([String(query), found]).toEqual([String(query), idsOf({ data: wanted })])
          }
    expect(filled).toBeGreaterThan(20)
    // The endpoint of another merchant has none here.
    const chairs = await shop(server.api, 'Chairs')
    const foreign = await makeEndpoint(chairs)
    await sentTo(chairs, foreign, 1)
    expect((await all(lamps, `?endpointId=${foreign.id}`)).record.data).toEqual([])
    const [its] = (await all(chairs)).record.data
    expect((await all(lamps, `?eventId=${its?.eventId}`)).record.data).toEqual([])
  })

  test('200: those to a deleted endpoint only by endpoint or event', async () => {
    const lamps = await shop(server.api)
    const endpoint = await makeEndpoint(lamps)
    const ids = await sentTo(lamps, endpoint, 1)
    const [{ eventId } = { eventId: '' }] = (await all(lamps)).record.data
    await call(server, lamps, 'DELETE', `${path}/${endpoint.id}`)
    expect((await all(lamps)).record.data).toEqual([])
    for (const query of [`endpointId=${endpoint.id}`, `eventId=${eventId}`])
      expect(idsOf((await all(lamps, `?${query}`)).record)).toEqual(ids)
  })

  test.each([
    ['status=sending', 'parameter_invalid', 'status'],
    ['status=failed&status=pending', 'parameter_invalid', 'status'],
    ['eventType=payment', 'parameter_invalid', 'eventType'],
    ['eventId=', 'parameter_invalid', 'eventId'],
    ['eventId=pay_01m7ygh5qmfvg9bxgmmwc0qqnf', 'parameter_invalid', 'eventId'],
    ['endpointId=whd_01m7ygh5qmfvg9bxgmmwc0qqnf', 'parameter_invalid', 'endpointId'],
    ['limit=0', 'parameter_invalid', 'limit'],
    ['livemode=no', 'parameter_invalid', 'livemode'],
    ['endpoint=x', 'parameter_unknown', 'endpoint'],
  ])('400: %s', async (query, code, param) => {
    const lamps = await shop(server.api)
    const answer = await all(lamps, `?${query}`)
    expect([answer.status, errorOf(answer)]).toMatchObject([400, { code, param }])
  })
})

describe('GET /deliveries/:id', () => {
  test('200: with its attempts, including the open one', async () => {
    const lamps = await shop(server.api)
    const endpoint = await makeEndpoint(lamps)
    const [id = ''] = await sentTo(lamps, endpoint, 1)
    expect((await get(lamps, id)).record).toMatchObject({ status: 'pending', endpointId: endpoint.id, attempts: [] })
    await server.sql`
      insert into delivery_attempts (delivery_id, number, trigger, worker, started_at, finished_at, duration_ms, outcome,
        http_status, response_snippet, signed_s, response_headers)
      select ${uuid(id)}, n, 'automatic', gen_random_uuid(), '2026-11-20T12:00:00.25Z'::timestamptz + n * interval '1 s',
        case when n < 60 then now() end, case when n < 60 then 84 end, case when n < 60 then 'http_error' end,
        case when n < 60 then 500 end, case when n < 60 then 'sorry' end,
        case when n < 60 then 1795176010 end, case when n < 60 then '{"content-type": "text/plain"}'::json end
      from generate_series(1, 60) n`
    const { record } = await get(lamps, id)
    const { attempts } = record
    // The latest fifty attempts.
    expect(attempts).toHaveLength(50)
    expect(attempts[0]).toEqual({
      ...{ number: 11, trigger: 'automatic', startedAt: '2026-11-20T12:00:11.250Z', durationMs: 84 },
      ...{ outcome: 'http_error', httpStatus: 500, responseSnippet: 'sorry' },
      requestHeaders: {
        ...{ 'Content-Type': 'application/json', 'User-Agent': 'paymachine' },
        ...{ 'Service-Signature': 't=1795176010,v1=…', 'webhook-id': record.eventId },
        ...{ 'webhook-timestamp': '1795176010', 'webhook-signature': 'v1,…' },
      },
      responseHeaders: { 'content-type': 'text/plain' },
    })
    expect(attempts.at(-1)).toMatchObject({ number: 60, durationMs: null, outcome: null, httpStatus: null })
    expect(attempts.at(-1)).toMatchObject({ requestHeaders: null, responseHeaders: null })
    expect((await list(lamps, endpoint.id)).record.data[0]?.attempts).toEqual(attempts)
    await server.sql`delete from delivery_attempts`
  })

  test('404: a delivery of another merchant', async () => {
    const [lamps, chairs] = [await shop(server.api), await shop(server.api, 'Chairs')]
    const [id = ''] = await sentTo(chairs, await makeEndpoint(chairs), 1)
    await expectMissing(one => get(lamps, one), [...namesNothing(id), id])
  })
})

describe('POST /webhook-endpoints/:id/test', () => {
  test('201: a test event goes only to this endpoint and is listed among the events', async () => {
    const lamps = await shop(server.api)
    const [one, two] = [await makeEndpoint(lamps), await makeEndpoint(lamps)]
    const { signingSecret, ...endpoint } = one
    const { status, record } = await call<Delivery>(server, lamps, 'POST', `${path}/${one.id}/test`)
    expect([status, record]).toMatchObject([
      201,
      { endpointId: one.id, eventType: 'webhook_endpoint.test', status: 'pending', attempts: [], livemode: false },
    ])
    expect((await list(lamps, two.id)).record.data).toEqual([])
    const event = await call<unknown>(server, lamps, 'GET', `events/${record.eventId}`)
    expect(event.record).toMatchObject({ type: 'webhook_endpoint.test', data: { object: endpoint } })
    expect(event.text).not.toContain('whsec_')
    const listed = await call<Listed<{ id: string }>>(server, lamps, 'GET', 'events?type=webhook_endpoint.test')
    expect(idsOf(listed.record)).toEqual([record.eventId])
  })

  test('409: for a disabled endpoint, without an event', async () => {
    const lamps = await shop(server.api)
    const { id } = await makeEndpoint(lamps)
    await call(server, lamps, 'PATCH', `${path}/${id}`, { json: { status: 'disabled' } })
    const answer = await call(server, lamps, 'POST', `${path}/${id}/test`)
    expect([answer.status, errorOf(answer)?.code]).toEqual([409, 'state_conflict'])
    expect((await call<Listed<object>>(server, lamps, 'GET', 'events')).record.data).toEqual([])
  })
})

describe('POST /deliveries/:id/redeliver', () => {
  test.each([
    ['delivered', deliver],
    ['failed', fail],
    ['canceled', (id: string) => applyEvent(id, 'cancel')],
  ])('200: a delivery that is %s', async (before, lead) => {
    const lamps = await shop(server.api)
    const [id = ''] = await sentTo(lamps, await makeEndpoint(lamps), 1)
    await lead(id)
    expect((await get(lamps, id)).record.status).toBe(before)
    const { status, record } = await call<Delivery>(server, lamps, 'POST', `deliveries/${id}/redeliver`)
    expect([status, record.status]).toEqual([200, 'pending'])
    expect(Date.parse(record.nextAttemptAt ?? '')).toBeLessThanOrEqual(server.api.clock.now().getTime())
    const [history] = await server.sql`
      select event, split_part(cause, ' ', 1) as cause from transitions where actor = ${uuid(id)} order by rev desc limit 1`
    expect(history).toEqual({ event: 'redeliver', cause: lamps.owner.id })
  })

  test('200: a delivery waiting for its next attempt, which is made earlier', async () => {
    const lamps = await shop(server.api)
    const [id = ''] = await sentTo(lamps, await makeEndpoint(lamps), 1)
    await applyEvent(id, 'attempt_started', 'attempt_failed')
    expect((await call(server, lamps, 'POST', `deliveries/${id}/redeliver`)).status).toBe(200)
    const [row] =
      await server.sql`select trigger, resume_at > next_attempt_at as later from deliveries where id = ${uuid(id)}`
    expect(row).toEqual({ trigger: 'manual', later: true })
  })

  test('409: a delivery that is due or being sent, or whose endpoint is disabled or deleted', async () => {
    const lamps = await shop(server.api)
    const { id: endpoint } = await makeEndpoint(lamps)
    const [id = ''] = await sentTo(lamps, { ...(await makeEndpoint(lamps)), id: endpoint }, 1)
    const again = async () => {
      const answer = await call(server, lamps, 'POST', `deliveries/${id}/redeliver`)
      return [answer.status, errorOf(answer)?.code]
    }
    expect(await again()).toEqual([409, 'state_conflict'])
    await applyEvent(id, 'attempt_started')
    expect(await again()).toEqual([409, 'state_conflict'])
    await call(server, lamps, 'PATCH', `${path}/${endpoint}`, { json: { status: 'disabled' } })
    await applyEvent(id, 'attempt_failed_permanently')
    expect(await again()).toEqual([409, 'state_conflict'])
    await call(server, lamps, 'DELETE', `${path}/${endpoint}`)
    expect(await again()).toEqual([409, 'state_conflict'])
    expect((await get(lamps, id)).record.status).toBe('canceled')
  })

  test('a delivery that becomes pending while its endpoint is disabled is canceled by a task', async () => {
    const lamps = await shop(server.api)
    const endpoint = await makeEndpoint(lamps)
    const [id = '', other = ''] = await sentTo(lamps, endpoint, 2)
    await fail(id)
    await call(server, lamps, 'POST', `deliveries/${id}/redeliver`)
    const [job] = await server.sql<{ payload: { endpointId: string }; later: boolean }[]>`
      select payload, run_at > now() as later from graphile_worker._private_jobs
      where task_id = (select id from graphile_worker._private_tasks where identifier = 'cancel-deliveries')
      order by id desc limit 1`
    expect(job).toEqual({ payload: { endpointId: uuid(endpoint.id) }, later: true })
    const run = (signal = new AbortController().signal) =>
      cancelDeliveries(server.api, job?.payload, { ...helpers('cancel-deliveries'), signal })
    // For an enabled endpoint the task cancels nothing.
    await run()
    expect((await get(lamps, id)).record.status).toBe('pending')

    await call(server, lamps, 'PATCH', `${path}/${endpoint.id}`, { json: { status: 'disabled' } })
    for (const one of [id, other]) await applyEvent(one, 'redeliver')
    await applyEvent(other, 'attempt_started')
    // A process that stops leaves the job to another one, which runs it again.
    expect(await run(AbortSignal.abort()).then(String, error => error.name)).toBe('AbortError')
    await run()
    expect((await get(lamps, id)).record.status).toBe('canceled')
    // A delivery being sent is canceled when the attempt ends, unless it succeeds.
    expect((await get(lamps, other)).record.status).toBe('pending')
    await applyEvent(other, 'attempt_failed_permanently')
    expect((await get(lamps, other)).record.status).toBe('canceled')
  })

  test('404: a delivery of another merchant', async () => {
    const [lamps, chairs] = [await shop(server.api), await shop(server.api, 'Chairs')]
    const [id = ''] = await sentTo(chairs, await makeEndpoint(chairs), 1)
    const ask = (one: string) => call(server, lamps, 'POST', `deliveries/${one}/redeliver`)
    await expectMissing(ask, [...namesNothing(id), id])
  })
})

describe('POST /webhook-endpoints/:id/recover', () => {
  const recover = (at: Shop, id: string, json: object) =>
    call<{ deliveries: number }>(server, at, 'POST', `${path}/${id}/recover`, { json })
  const since = new Date(Date.now() - 3_600_000).toISOString()

  /** Runs the job as a worker does, without removing it, so that it can run twice. */
  const work = async () => {
    const [job] = await server.sql<{ payload: unknown }[]>`
      select payload from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'recover-deliveries'
      order by j.id desc limit 1`
    const signal = new AbortController().signal
    await recoverDeliveriesTask(server.api, job?.payload, { ...helpers('recover-deliveries'), signal })
  }
  const states = async (at: Shop, id: string) =>
    (await list(at, id, '?order=asc')).record.data.map(({ status }) => status)

  test('200: sends failed and canceled deliveries since then again, once, however often the task runs', async () => {
    const lamps = await shop(server.api)
    const endpoint = await makeEndpoint(lamps)
    const [old = '', failed = '', delivered = '', canceled = ''] = await sentTo(lamps, endpoint, 5)
    for (const id of [old, failed]) await fail(id)
    await deliver(delivered)
    await applyEvent(canceled, 'cancel')
    const [made] = await server.sql`select created_at from deliveries where id = ${uuid(old)}`
    await server.sql`update deliveries set created_at = ${since} where id = ${uuid(old)}`
    const later = new Date(Date.parse(since) + 1).toISOString()
    const { status, record } = await recover(lamps, endpoint.id, { since: later })
    expect([status, record]).toMatchObject([
      200,
      { object: 'webhook_recovery', endpointId: endpoint.id, since: later, deliveries: 2 },
    ])
    await work()
    expect(await states(lamps, endpoint.id)).toEqual(['failed', 'pending', 'delivered', 'pending', 'pending'])
    // It fails again, and a worker believed dead runs the job once more.
    await fail(failed)
    await work()
    expect(await states(lamps, endpoint.id)).toEqual(['failed', 'failed', 'delivered', 'pending', 'pending'])
    const history = await server.sql`
      select split_part(cause, ' ', 1) as cause from transitions where event = 'redeliver' and actor = any (${[failed, canceled].map(uuid)}::uuid[])`
    expect([...history]).toEqual([{ cause: lamps.owner.id }, { cause: lamps.owner.id }])
    expect((await log(server, lamps)).at(-1)).toMatchObject({
      ...{ action: 'webhook_endpoint.recovered', details: { endpointId: endpoint.id, since: later } },
    })
    // Deliveries older than their events would be reported by the audit.
    await server.sql`update deliveries set created_at = ${made?.created_at} where id = ${uuid(old)}`
  })

  test('200: works for more than one batch, and does nothing once the endpoint is disabled', async () => {
    const lamps = await shop(server.api)
    const endpoint = await makeEndpoint(lamps)
    const makePending = () => server.sql`
      insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era)
      select gen_random_uuid(), 'payment', actor, rev, type, merchant_id, livemode, api_version, object, created_at, era
      from events, generate_series(1, 600) where merchant_id = ${lamps.merchantId} and type = 'payment.created'
      limit 600`
    await publishPaymentEvents(server.api, lamps)
    await makePending()
    await call(server, lamps, 'PATCH', `${path}/${endpoint.id}`, { json: { status: 'disabled' } })
    const count = async () => {
      const rows = await server.sql<{ state: string; count: number }[]>`
        select state, count(*)::int from deliveries where endpoint_id = ${uuid(endpoint.id)} group by state`
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    }
    expect(await count()).toEqual({ canceled: 601 })
    await call(server, lamps, 'POST', `${path}/${endpoint.id}/enable`)
    expect((await recover(lamps, endpoint.id, { since })).record.deliveries).toBe(601)
    await work()
    expect(await count()).toEqual({ pending: 601 })
    await call(server, lamps, 'PATCH', `${path}/${endpoint.id}`, { json: { status: 'disabled' } })
    await work()
    expect(await count()).toEqual({ canceled: 601 })
    // Deleted, because the audit would report events without a change of a payment.
    await server.sql`delete from deliveries where endpoint_id = ${uuid(endpoint.id)}`
    await server.sql`delete from payments where merchant_id = ${lamps.merchantId}`
    await server.sql`
      delete from transitions where kind = 'delivery' and not exists (select from deliveries where id = actor)
        or kind = 'payment' and not exists (select from payments where id = actor)`
    await server.sql`delete from events where merchant_id = ${lamps.merchantId}`
  })

  test.each<[string, object, string]>([
    ['no time', {}, 'parameter_missing'],
    ['a time that does not exist', { since: '2026-02-30T00:00:00Z' }, 'parameter_invalid'],
    ['a date without a time', { since: '2026-11-20' }, 'parameter_invalid'],
    ['more than 30 days ago', { since: new Date(Date.now() - 31 * 86_400_000).toISOString() }, 'parameter_invalid'],
  ])('400: %s', async (_, json, code) => {
    const lamps = await shop(server.api)
    const answer = await recover(lamps, (await makeEndpoint(lamps)).id, json)
    expect([answer.status, errorOf(answer)]).toMatchObject([400, { code, param: 'since' }])
  })

  test('409: a disabled endpoint', async () => {
    const lamps = await shop(server.api)
    const { id } = await makeEndpoint(lamps)
    await call(server, lamps, 'PATCH', `${path}/${id}`, { json: { status: 'disabled' } })
    expect((await recover(lamps, id, { since })).status).toBe(409)
  })
})
