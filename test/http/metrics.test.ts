import { afterAll, beforeAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { feedLagMs } from '../../src/actors/feed.ts'
import { healthRoutes } from '../../src/http/health.ts'
import { metricsRoutes } from '../../src/http/metrics.ts'
import { paymentRoutes } from '../../src/http/payments.ts'
import { connect } from '../../src/postgres/connect.ts'
import { createLamp, lampInstance } from '../actors/lamps.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { database } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { proxy } from '../workers/proxy.ts'

const metricsToken = 'a token for the metrics scraper'
const checks = { database: async () => undefined, worker: async () => 'takes no jobs' }
const routes = [...healthRoutes(checks), ...metricsRoutes(checks), ...paymentRoutes]

let server: ApiServer
let withToken: ApiServer

beforeAll(async () => {
  server = await apiServer({ routes })
  withToken = await apiServer({ routes, env: { METRICS_TOKEN: metricsToken, PUBLIC_URL: 'https://pay.lamps.shop' } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await withToken[Symbol.asyncDispose]()
})

const scrape = (headers: Readonly<Record<string, string>> = {}) => server.call('GET', '/metrics', { headers })

/** With any Host header, which `fetch` does not allow. */
const rawScrape = async ({ url }: ApiServer, headers: Readonly<Record<string, string>>) => {
  const asked = get(`${url}/metrics`, { headers })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const said = await text(answer)
  return { status: answer.statusCode, code: /"code":"(\w+)"/.exec(said)?.[1] }
}

/** Values by series, as a scraper reads them. */
const parse = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )

test('a scraper on this machine reads counts of responses, their durations, the checks and what waits', async () => {
  for (let n = 0; n < 3; n++) await server.call('GET', '/v1/payments')
  await server.call('GET', '/healthz')
  await server.call('GET', '/nowhere/at/all')
  await server.sql`insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step)
    values (31337, 42, ${`0x${'a'.repeat(64)}`}, now() - interval '1 minute', 40, 1)`
  const { status, headers, text } = await scrape()
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const series = parse(text)
  expect(series.get('paymachine_http_requests_total{route="/v1/payments",method="GET",status="401"}')).toBe(3)
  expect(series.get('paymachine_http_requests_total{route="/healthz",method="GET",status="200"}')).toBe(1)
  // All paths without a route share one series, so that clients cannot create series.
  expect(series.get('paymachine_http_requests_total{route="none",method="any",status="404"}')).toBe(1)
  expect(series.get('paymachine_http_request_duration_seconds_bucket{route="/v1/payments",le="+Inf"}')).toBe(3)
  expect(series.get('paymachine_http_request_duration_seconds_count{route="/v1/payments"}')).toBe(3)
  expect(series.get('paymachine_http_request_duration_seconds_sum{route="/v1/payments"}')).toBeGreaterThan(0)
  expect(series.get('paymachine_up{part="database"}')).toBe(1)
  expect(series.get('paymachine_up{part="worker"}')).toBe(0)
  expect(series.get('paymachine_chain_head{chain="31337"}')).toBe(42)
  expect(series.get('paymachine_chain_age_seconds{chain="31337"}')).toBeGreaterThan(59)
  for (const name of ['jobs_ready', 'jobs_given_up', 'timers_due', 'payments_unsettled', 'deliveries_due', 'workers'])
    expect(series.get(`paymachine_${name}`)).toBe(0)
  for (const reason of ['no_gas', 'nonce_ahead'])
    expect(series.get(`paymachine_refunds_unsigned{reason="${reason}"}`)).toBe(0)
  expect(series.get('paymachine_refund_open_seconds')).toBe(0)
  expect(series.get('paymachine_audit_findings')).toBe(0)
  expect(series.get('paymachine_audit_age_seconds')).toBeGreaterThan(0)
  expect(series.get('paymachine_refunds_with_attention')).toBe(0)
  expect(series.get('paymachine_database_bytes')).toBeGreaterThan(1_000_000)
  const connections = series.get('paymachine_database_connections') ?? 0
  expect(connections).toBeGreaterThan(0)
  expect(series.get('paymachine_database_connections_max')).toBeGreaterThanOrEqual(connections)
  expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
})

test('the checks with breaches of the last finished audit are counted, and its age is measured', async () => {
  const checks = ['findings', 'clean', 'findings'].map(status => ({ name: 'I7: x', status, count: 1, sample: null }))
  await server.sql`
    insert into audits (status, started_by, finished_at, checks)
    values ('findings', 'schedule', now() - interval '1 hour', ${JSON.stringify(checks)}::text::json), ('failed', 'schedule', now(), '[]')`
  const series = parse((await scrape()).text)
  expect(series.get('paymachine_audit_findings')).toBe(2)
  expect(Math.floor(series.get('paymachine_audit_age_seconds') ?? 0)).toBe(3_600)
})

test('what was dropped of old records is counted by part, with its last night and whether the rest is held back', async () => {
  await server.sql`
    update retention_progress set dropped = 7, before = now(), completed_at = now() - interval '1 hour' where part = 'deliveries'`
  await server.sql`update retention_progress set held = 'failed' where part = 'history'`
  const series = parse((await scrape()).text)
  const of = (name: string) =>
    ['attempt_bodies', 'deliveries', 'history'].map(part => series.get(`paymachine_retention_${name}{part="${part}"}`))
  expect(of('dropped_total')).toEqual([0, 7, 0])
  expect(of('age_seconds').map(value => value && Math.floor(value))).toEqual([undefined, 3_600, undefined])
  expect(of('held_back')).toEqual([0, 0, 1])
})

test('the buckets of a histogram are cumulative, and each family has one TYPE line', async () => {
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
  ['another machine', { 'x-forwarded-for': '203.0.113.7' }],
  ['a proxy on this machine that only says it is one', { via: '1.1 proxy' }],
  [
    'a proxy that passes only the requested protocol and host',
    { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'pay.lamps.shop' },
  ],
  ['the name of another host', { host: 'pay.lamps.shop' }],
  ['a name that begins with the name of this machine', { host: 'localhost.lamps.shop' }],
  ['the address of another machine', { host: '192.0.2.1:3000' }],
  ['an invalid host', { host: 'a b' }],
  [
    'a token although none is configured',
    { 'x-forwarded-for': '203.0.113.7', authorization: `Bearer ${metricsToken}` },
  ],
])('without METRICS_TOKEN, %s is answered 401', async (_, headers) => {
  const { status, code } = await rawScrape(server, headers)
  expect([status, code]).toEqual([401, 'invalid_token'])
})

test.each(['localhost', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'LOCALHOST'])(
  'without METRICS_TOKEN, a client on this machine that uses the host %s gets the metrics',
  async host => {
    expect((await rawScrape(server, { host })).status).toBe(200)
  },
)

test('without METRICS_TOKEN, a public PUBLIC_URL closes the metrics also for this machine', async () => {
  await using behindProxy = await apiServer({ routes, env: { PUBLIC_URL: 'https://pay.lamps.shop' } })
  // Like a default nginx: its upstream address as the host, and no header of its own.
  expect(await rawScrape(behindProxy, { host: '127.0.0.1:3000' })).toEqual({ status: 401, code: 'invalid_token' })
})

test('with METRICS_TOKEN the token is required, from any address', async () => {
  for (const from of [{}, { 'x-forwarded-for': '203.0.113.7' }]) {
    const ask = async (authorization: string) => (await rawScrape(withToken, { ...from, authorization })).status
    expect(await ask(`Bearer ${metricsToken}`)).toBe(200)
    for (const wrong of ['Bearer something else entirely', `Basic ${metricsToken}`, ''])
      expect(await ask(wrong)).toBe(401)
  }
})

const heldSeconds = async () => {
  const seconds = parse((await scrape()).text).get('paymachine_feed_held_seconds')
  return seconds ?? expect.unreachable('the metric of the feed is missing')
}

test('an open write transaction is reported by how long it holds back the feed, until it ends', async () => {
  await using db = await database()
  // A writer in another database, and a reader, which holds nothing back.
  const [writing, reading] = [connect(db.url, { max: 1 }), connect(db.url, { max: 1 })]
  await reading.unsafe('begin; select count(*) from transitions')
  await writing.unsafe('begin; select pg_current_xact_id()')
  const begunAt = performance.now()
  const first = await until(heldSeconds)
  const later = await until(async () => {
    const seconds = await heldSeconds()
    return seconds > first + 1 && seconds
  })
  expect(later).toBeLessThan((performance.now() - begunAt) / 1_000 + 1)
  await writing.unsafe('commit')
  // Other writes on this server end within a moment.
  await until(async () => (await heldSeconds()) < 0.5)
  await Promise.all([writing.end(), reading.end()])
})

test("a role that cannot read the start of another role's transaction reports how long it has waited for it", async () => {
  await using lamps = await lampInstance()
  const name = `limited_${crypto.randomUUID().slice(0, 8)}`
  await lamps.sql.unsafe(`create role ${name} login password 'secret'; grant select on transitions, eras to ${name}`)
  await using ending = new AsyncDisposableStack()
  ending.defer(() => lamps.sql.unsafe(`drop owned by ${name}; drop role ${name}`).then(() => {}))
  const url = Object.assign(new URL(lamps.url), { username: name, password: 'secret' })
  const [writing, limitedRole] = [connect(lamps.url, { max: 1 }), connect(url.href, { max: 1 })]
  await writing.unsafe('begin; select pg_current_xact_id()')
  const measured = await limitedRole`
    select xact_start as since from pg_stat_activity where backend_xid is not null and datname = current_database()`
  expect([...measured]).toEqual([{ since: null }])
  await createLamp(lamps.actors)
  await until(async () => (await feedLagMs(limitedRole)) > 1_000)
  await writing.unsafe('rollback')
  await until(async () => (await feedLagMs(limitedRole)) < 500)
  await Promise.all([writing.end(), limitedRole.end()])
})

test('while the database does not respond, the other metrics are still served', async () => {
  await using db = await database()
  await using path = await proxy(db.url)
  const sql = connect(path.url)
  await using cut = await apiServer({ routes, outside: { sql } })
  const names = async () => [...parse((await cut.call('GET', '/metrics')).text).keys()]
  const ofDatabase = ['paymachine_jobs_ready', 'paymachine_feed_held_seconds']
  expect(await names()).toEqual(expect.arrayContaining(ofDatabase))
  path.freeze()
  const left = await names()
  expect(left.filter(name => ofDatabase.includes(name))).toEqual([])
  expect(left).toContain('process_resident_memory_bytes')
  await sql.end({ timeout: 0 })
})
