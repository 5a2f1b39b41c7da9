import { afterAll, expect, test } from 'bun:test'
import { opsRoutes } from '../../../src/http/ops/routes.ts'
import { encodeId } from '../../../src/ids.ts'
import { apiServer } from '../../harness/api.ts'
import { operator, shop } from '../people.ts'
import { makeEndpoint, sendTest } from '../webhooks.ts'

const server = await apiServer({ routes: opsRoutes })
afterAll(() => server[Symbol.asyncDispose]())
const { sql, api } = server
const { bearer } = await operator(api)
const lamps = await shop(api)

type Endpoint = Readonly<Record<'id' | 'host', string>>

const list = async () => {
  const { status, json, text } = await server.call('GET', '/v1/ops/deliveries', { bearer })
  expect(status).toBe(200)
  return { ...(json as { data: readonly Endpoint[]; has_more: boolean }), text }
}

/** An endpoint with deliveries that are due now. */
const endpointWith = async (deliveries: number, url: string) => {
  const { row } = await makeEndpoint(api, lamps)
  await sql`update webhook_endpoints set url = ${url} where id = ${row.id}`
  for (let n = 0; n < deliveries; n++) await sendTest(api, lamps, row)
  return row.id
}

test('endpoints that the server has disabled are first, then those that fail, then those with a backlog', async () => {
  await endpointWith(0, 'https://quiet.example/webhooks')
  const behind = await endpointWith(3, 'https://user:MARKED@behind.example:8443/MARKED?token=MARKED')
  const failing = await endpointWith(2, 'https://failing.example/MARKED')
  const gone = await endpointWith(0, 'https://gone.example/MARKED')
  const byMerchant = await endpointWith(0, 'https://off.example/')
  const deleted = await endpointWith(1, 'https://deleted.example/')
  await sql`update deliveries set next_attempt_at = now() - interval '70 s' where endpoint_id = ${behind}`
  await sql`
    update deliveries set attempts = 1, automatic_attempts = 1, next_attempt_at = now() + interval '1 hour',
      created_at = now() - interval '2 hours'
    where endpoint_id = ${failing} and id = (select min(id::text)::uuid from deliveries where endpoint_id = ${failing})`
  await sql`
    insert into delivery_attempts (delivery_id, number, trigger, worker, started_at, finished_at, duration_ms, outcome, http_status,
      response_snippet)
    select id, 1, 'automatic', gen_random_uuid(), now(), now(), 5, 'http_error', 503, 'MARKED' from deliveries
    where endpoint_id = ${failing} and attempts = 1`
  for (const [id, state, reason] of [
    [gone, 'disabled', 'gone'],
    [byMerchant, 'disabled', 'by_merchant'],
    [deleted, 'deleted', null],
  ] as const)
    await sql`update webhook_endpoints set state = ${state}, disabled_reason = ${reason} where id = ${id}`

  const { data, has_more, text } = await list()
  expect(has_more).toBe(false)
  expect(data.map(({ id }) => id)).toEqual([gone, failing, behind].map(id => encodeId('whe', id)))
  expect(data).toMatchObject([
    { host: 'gone.example', status: 'disabled', disabledReason: 'gone', due: 0, scheduled: 0, retrying: 0 },
    {
      ...{ host: 'failing.example', status: 'enabled', disabledReason: null, due: 1, scheduled: 1, retrying: 1 },
      ...{ retryingSince: expect.any(String), lastOutcome: 'http_error', lastHttpStatus: 503, lastSuccessAt: null },
    },
    {
      ...{ merchantId: encodeId('mer', lamps.merchantId), livemode: false, host: 'behind.example:8443' },
      ...{ due: 3, scheduled: 0, retrying: 0, retryingSince: null, lastOutcome: null, lastHttpStatus: null },
    },
  ] as never)
  expect(Math.floor(Number(Object(data[2]).oldestAgeMs) / 10_000)).toBe(7)
  expect(text).not.toContain('MARKED')
})

test('at most a hundred endpoints are listed', async () => {
  await sql`
    insert into webhook_endpoints (id, merchant_id, livemode, url, event_types, state, disabled_reason, sealed_secret,
      enabled_at, created_at, updated_at)
    select gen_random_uuid(), ${lamps.merchantId}, true, 'https://lamps.shop', '{payment.succeeded}', 'disabled', 'no_success',
      'sealed', now(), now(), now()
    from generate_series(1, 101)`
  const { data, has_more } = await list()
  expect([data.length, has_more]).toEqual([100, true])
})
