import { afterAll, beforeAll, expect, test } from 'bun:test'
import { healthRoutes } from '../../src/http/health.ts'
import { metricsRoutes } from '../../src/http/metrics.ts'
import { paymentRoutes } from '../../src/http/payments.ts'
import { type ApiHouse, apiHouse } from '../harness/api.ts'

const token = 'a token for whoever measures'
const checks = { database: async () => undefined, worker: async () => 'takes no jobs' }
const routes = [...healthRoutes(checks), ...metricsRoutes(checks), ...paymentRoutes]

let house: ApiHouse

beforeAll(async () => {
  house = await apiHouse({ routes, env: { METRICS_TOKEN: token } })
})
afterAll(() => house[Symbol.asyncDispose]())

const scrape = (headers: Readonly<Record<string, string>> = {}) => house.call('GET', '/metrics', { headers })

/** Values by series, as a scraper reads them. */
const parse = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )

test('this machine reads what was answered, how long it took, what works and what waits', async () => {
  for (let n = 0; n < 3; n++) await house.call('GET', '/v1/payments')
  await house.call('GET', '/healthz')
  await house.call('GET', '/nowhere/at/all')
  await house.sql`insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step)
    values (31337, 42, ${`0x${'a'.repeat(64)}`}, now() - interval '1 minute', 40, 1)`
  const { status, headers, text } = await scrape()
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const series = parse(text)
  expect(series.get('paymachine_http_requests_total{route="/v1/payments",method="GET",status="401"}')).toBe(3)
  expect(series.get('paymachine_http_requests_total{route="/healthz",method="GET",status="200"}')).toBe(1)
  // What names no route is one line, whoever knocks at whatever.
  expect(series.get('paymachine_http_requests_total{route="none",method="any",status="404"}')).toBe(1)
  expect(series.get('paymachine_http_request_duration_seconds_bucket{route="/v1/payments",le="+Inf"}')).toBe(3)
  expect(series.get('paymachine_http_request_duration_seconds_count{route="/v1/payments"}')).toBe(3)
  expect(series.get('paymachine_http_request_duration_seconds_sum{route="/v1/payments"}')).toBeGreaterThan(0)
  expect(series.get('paymachine_up{part="database"}')).toBe(1)
  expect(series.get('paymachine_up{part="worker"}')).toBe(0)
  expect(series.get('paymachine_chain_head{chain="31337"}')).toBe(42)
  expect(series.get('paymachine_chain_age_seconds{chain="31337"}')).toBeGreaterThan(59)
  for (const name of ['jobs_ready', 'jobs_given_up', 'timers_due', 'payments_untold', 'deliveries_due', 'workers'])
    expect(series.get(`paymachine_${name}`)).toBe(0)
  for (const reason of ['no_gas', 'nonce_ahead'])
    expect(series.get(`paymachine_refunds_unsigned{reason="${reason}"}`)).toBe(0)
  expect(series.get('paymachine_refund_open_seconds')).toBe(0)
  expect(series.get('paymachine_refunds_with_attention')).toBe(0)
  expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
})

test('a histogram grows with its bounds, and each family is explained once', async () => {
  const { text } = await scrape()
  const buckets = [...parse(text)]
    .filter(([name]) => name.startsWith('paymachine_http_request_duration_seconds_bucket{route="/v1/payments"'))
    .map(([, value]) => value)
  expect(buckets.length).toBeGreaterThan(10)
  expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
  const explained = text.split('\n').filter(line => line.startsWith('# TYPE'))
  expect(new Set(explained).size).toBe(explained.length)
})

test.each([
  ['a stranger', { 'x-forwarded-for': '203.0.113.7' }],
  ['a proxy on this machine that says nothing of whom it speaks for', { via: '1.1 proxy' }],
  ['a proxy that tells only what it was asked', { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'pay.lamps.shop' }],
  ['a wrong token', { 'x-forwarded-for': '203.0.113.7', authorization: 'Bearer something else entirely' }],
  ['another scheme', { 'x-forwarded-for': '203.0.113.7', authorization: `Basic ${token}` }],
])('%s is told nothing', async (_, headers) => {
  expect(await scrape(headers)).toMatchObject({ status: 401, json: { error: { code: 'invalid_token' } } })
})

test('whoever has the token reads them from anywhere', async () => {
  const { status } = await scrape({ 'x-forwarded-for': '203.0.113.7', authorization: `Bearer ${token}` })
  expect(status).toBe(200)
})
