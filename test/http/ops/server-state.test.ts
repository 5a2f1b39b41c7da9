import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runAudit } from '../../../src/audit/run.ts'
import { opsRoutes } from '../../../src/http/ops/routes.ts'
import { openKeyring } from '../../../src/keyring.ts'
import { openLog } from '../../../src/log.ts'
import { type ApiServer, apiServer, SECRET_KEY } from '../../harness/api.ts'
import { expectPages } from '../lists.ts'
import { operator } from '../people.ts'

let server: ApiServer
let bearer: string
let operatorId: string

beforeAll(async () => {
  server = await apiServer({ routes: opsRoutes })
  ;({ bearer, id: operatorId } = await operator(server.api))
})
afterAll(() => server[Symbol.asyncDispose]())

type List<Item> = { readonly data: readonly Item[]; readonly has_more: boolean }

const ask = (method: string, path: string) => server.call(method, `/v1/ops/${path}`, { bearer })
const list = async <Item>(path: string) => (await ask('GET', path)).json as List<Item>

type Queue = Readonly<Record<'task' | 'ready' | 'delayed' | 'failed' | 'oldestAgeMs', unknown>>

test('queues have what waits, what is planned, what was given up, and the age of the oldest', async () => {
  const { sql } = server
  await sql`
    select graphile_worker.add_job('send-webhooks', '{}', run_at => at) from unnest(array[
      now() - interval '1 hour', now() - interval '1 minute', now() + interval '1 hour']) at`
  await sql`select graphile_worker.add_job('send-webhooks', '{}')`
  const [lost] = await sql<
    { id: string }[]
  >`select id from graphile_worker.add_job('sign-refund', '{}', run_at => now() - interval '1 day')`
  await sql`update graphile_worker._private_jobs set attempts = max_attempts where id = ${lost?.id ?? ''}`
  const [locked] = await sql<
    { id: string }[]
  >`select id from graphile_worker.add_job('sign-refund', '{}', run_at => now() - interval '1 day')`
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where id = ${locked?.id ?? ''}`
  await sql`
    insert into timers (actor, name, kind, generation, due_at)
    select gen_random_uuid(), 'window.payment.pending', 'payment', 1, at
    from unnest(array[now() - interval '10 s', now() + interval '1 s', now() + interval '1 day']) at`
  const { data, has_more } = await list<Queue>('queues')
  expect(has_more).toBe(false)
  const queue = (name: string) => data.find(({ task }) => task === name)
  expect(data.map(({ task }) => task)).toEqual([
    'deliveries',
    'planned-timers',
    'send-webhooks',
    'sign-refund',
    'timers',
    'unsettled-payments',
  ])
  expect(queue('send-webhooks')).toEqual({
    task: 'send-webhooks',
    ready: 3,
    delayed: 1,
    failed: 0,
    oldestAgeMs: expect.any(Number),
  })
  expect(Math.floor(Number(queue('send-webhooks')?.oldestAgeMs) / 60_000)).toBe(60)
  expect(queue('sign-refund')).toEqual({ task: 'sign-refund', ready: 0, delayed: 0, failed: 1, oldestAgeMs: 0 })
  expect(queue('timers')).toMatchObject({ ready: 1, delayed: 2 })
  expect(Math.floor(Number(queue('timers')?.oldestAgeMs) / 1_000)).toBeGreaterThanOrEqual(10)
  for (const name of ['deliveries', 'planned-timers', 'unsettled-payments'])
    expect(queue(name)).toMatchObject({ ready: 0, delayed: 0, failed: 0, oldestAgeMs: 0 })
})

test('workers have their heartbeats', async () => {
  expect((await list('workers')).data).toEqual([])
  await server.sql`
    insert into workers (id, role, host, pid, version, started_at) values
      ('worker-2', 'worker', 'b', 2, '0.1.0', now()), ('worker-1', 'all', 'a', 1, '0.1.0', now() - interval '1 hour')`
  expect((await list('workers')).data).toEqual([
    { id: 'worker-1', role: 'all', version: '0.1.0', startedAt: expect.any(String), heartbeatAt: expect.any(String) },
    {
      id: 'worker-2',
      role: 'worker',
      version: '0.1.0',
      startedAt: expect.any(String),
      heartbeatAt: expect.any(String),
    },
  ])
})

type Audit = { readonly id: string; readonly status: string; readonly checks: readonly object[] }

test('an audit is started once at a time, runs in a worker, and is listed with its checks', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask('POST', 'audits')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)])
  expect(answers.find(({ status }) => status === 409)?.json).toMatchObject({ error: { code: 'state_conflict' } })
  const started = answers.find(({ status }) => status === 201)?.json as Audit
  expect(started).toEqual({
    id: started.id,
    status: 'running',
    startedBy: { type: 'operator', id: operatorId },
    startedAt: expect.any(String),
    finishedAt: null,
    checks: [],
  } as never)
  expect((await list<Audit>('audits')).data).toEqual([started])
  expect((await ask('GET', `audits/${started.id}`)).json).toEqual(started)
  for (const id of [crypto.randomUUID(), 'x', started.id.toUpperCase()])
    expect((await ask('GET', `audits/${id}`)).status).toBe(404)
  const jobs = await server.sql`select j.payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'run-audit'`
  expect([...jobs]).toEqual([{ payload: { auditId: started.id } }])

  const options = {
    databaseUrl: server.databaseUrl,
    keyring: openKeyring(SECRET_KEY),
    signal: new AbortController().signal,
  }
  await runAudit({ sql: server.sql, log: openLog('silent') }, started.id, options)
  // The timer of the test of queues is overdue.
  await server.sql`update timers set due_at = now() - interval '1 hour'`
  const [finished] = (await list<Audit>('audits')).data
  expect(finished).toMatchObject({ id: started.id, finishedAt: expect.any(String) } as never)
  expect(finished?.checks.length).toBeGreaterThan(80)

  const again = (await ask('POST', 'audits')).json as Audit
  await runAudit({ sql: server.sql, log: openLog('silent') }, again.id, options)
  const [found] = (await list<Audit>('audits')).data
  expect(found).toMatchObject({ id: again.id, status: 'findings' })
  expect(found?.checks).toContainEqual({
    name: 'I7: a timer overdue by more than a minute',
    status: 'findings',
    count: 3,
    sample: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
})

test('a run whose process was killed is shown as failed, and does not prevent the next one', async () => {
  const { id } = (await ask('POST', 'audits')).json as Audit
  expect((await ask('POST', 'audits')).status).toBe(409)
  await server.sql`update audits set beat_at = now() - interval '61 s' where id = ${id}`
  expect((await list<Audit>('audits')).data[0]).toMatchObject({
    id,
    status: 'failed',
    finishedAt: expect.any(String),
  } as never)
  expect((await ask('POST', 'audits')).status).toBe(201)
})

test('audits are listed in pages', async () => {
  await server.sql`delete from audits`
  await server.sql`insert into audits (status, started_by, finished_at) select 'clean', 'schedule', now() from generate_series(1, 5)`
  const ids = (await server.sql<{ id: string }[]>`select id from audits order by seq`).map(({ id }) => id)
  await expectPages(query => list<Audit>(`audits${query}`) as never, ids)
})

test.each(['queues?limit=1', 'workers?limit=1', 'chains?limit=1', 'audits?status=clean'])(
  '%s has an unknown parameter',
  async path => {
    expect((await ask('GET', path)).json).toMatchObject({ error: { code: 'parameter_unknown' } })
  },
)
