import { expect, test } from 'bun:test'
import { runAudit } from '../../src/audit/run.ts'
import { openAuditCheck } from '../../src/audit/schedule.ts'
import { openKeyring } from '../../src/keyring.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import {
  findLastAudit,
  finishAudit,
  listAudits,
  recordAuditBeat,
  requestAudit,
  startNightlyAudit,
  takeAudit,
} from '../../src/queries/audits.ts'
import { SECRET_KEY } from '../harness/api.ts'
import { type Database, database } from '../harness/database.ts'
import { readableLog } from '../harness/lines.ts'
import { type Main, startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'

const newest = { after: undefined, limit: 100, order: 'desc' } as const
const statuses = async (sql: Sql) => (await listAudits(sql, newest)).map(({ status }) => status)

/** For an operator. */
const request = (sql: Sql) => requestAudit(sql, crypto.randomUUID())

const overdueTimer = (sql: Sql) =>
  sql`insert into timers (actor, name, kind, generation, due_at) values (gen_random_uuid(), 'x.y.z', 'k', 1, '-infinity')`

/** Runs a requested audit in this process. */
const run = async ({ sql, url }: Database) => {
  const logged = readableLog()
  const { id } = (await request(sql)) ?? expect.unreachable('another audit is under way')
  await runAudit({ sql, log: logged.log }, id, {
    databaseUrl: url,
    keyring: openKeyring(SECRET_KEY),
    signal: new AbortController().signal,
  })
  return logged.lines()
}

test('a run records every check, and a breach with its count and one ID', async () => {
  await using db = await database()
  expect(await run(db)).toMatchObject([{ level: 30, msg: 'audit clean' }])
  const [clean] = await listAudits(db.sql, newest)
  expect(clean).toMatchObject({ status: 'clean', started_by: 'operator', finished_at: expect.any(Date) })
  expect(clean?.checks.length).toBeGreaterThan(80)
  expect(clean?.checks.filter(({ status, sample }) => status !== 'clean' || sample !== null)).toEqual([])

  await overdueTimer(db.sql)
  const [line] = await run(db)
  const broken = {
    name: 'I7: a timer overdue by more than a minute',
    status: 'findings',
    count: 1,
    sample: expect.stringMatching(/^[0-9a-f-]{36}$/),
  } as const
  expect(line).toMatchObject({
    level: 50,
    msg: 'audit found broken invariants',
    broken: expect.arrayContaining([broken]),
  })
  const [found] = await listAudits(db.sql, newest)
  expect(found).toMatchObject({ status: 'findings' })
  expect(found?.checks).toContainEqual(broken)
  const { findings } = await findLastAudit(db.sql)
  expect(found?.checks.filter(({ status }) => status === 'findings')).toHaveLength(findings)
})

test('of many processes that request an audit at the same time, one gets it', async () => {
  await using db = await database()
  const pools = Array.from({ length: 8 }, () => connect(db.url, { max: 1 }))
  for (let round = 0; round < 5; round++) {
    const started = (await Promise.all(pools.map(request))).filter(row => row !== undefined)
    expect(started).toHaveLength(1)
    const taken = await takeAudit(db.sql, started[0]?.id ?? '')
    expect(taken && (await finishAudit(db.sql, taken, { status: 'clean', checks: [] }))).toBe(true)
  }
  expect(await statuses(db.sql)).toEqual(Array(5).fill('clean'))
  await Promise.all(pools.map(pool => pool.end()))
})

test('a run without a sign of life for a minute has failed, and is over for its process', async () => {
  await using db = await database()
  const { sql } = db
  const { id } = (await request(sql)) ?? expect.unreachable('another audit is under way')
  const taken = (await takeAudit(sql, id)) ?? expect.unreachable('it was just requested')
  await sql`update audits set beat_at = now() - interval '50 s'`
  expect(await request(sql)).toBeUndefined()
  expect(await recordAuditBeat(sql, taken)).toBe(true)
  await sql`update audits set beat_at = now() - interval '61 s'`
  expect(await statuses(sql)).toEqual(['failed'])
  expect(await takeAudit(sql, id)).toBeUndefined()
  expect(await request(sql)).toMatchObject({ status: 'running' })
  expect(await statuses(sql)).toEqual(['running', 'failed'])
  expect(await finishAudit(sql, taken, { status: 'clean', checks: [] })).toBe(false)
  expect(await recordAuditBeat(sql, taken)).toBe(false)
})

test('a run that another process has taken is written by that process only', async () => {
  await using db = await database()
  const { sql } = db
  const { id } = (await request(sql)) ?? expect.unreachable('another audit is under way')
  const [first, second] = [await takeAudit(sql, id), await takeAudit(sql, id)]
  expect([first, second]).toEqual([
    { id, attempt: 1 },
    { id, attempt: 2 },
  ])
  expect(first && (await finishAudit(sql, first, { status: 'failed', checks: [] }))).toBe(false)
  expect(second && (await finishAudit(sql, second, { status: 'clean', checks: [] }))).toBe(true)
  expect(await statuses(sql)).toEqual(['clean'])
})

test('the nightly audit starts once a night, is repeated twice after failures, and not on the day of the first start', async () => {
  await using db = await database()
  const { sql } = db
  expect(await startNightlyAudit(sql)).toBeUndefined()
  await sql`update migrations set applied_at = now() - interval '3 days'`
  const end = async (status: 'clean' | 'failed', id = '') => {
    const taken = await takeAudit(sql, id)
    if (taken) await finishAudit(sql, taken, { status, checks: [] })
  }
  for (let attempts = 0; attempts < 3; attempts++) {
    const id = await startNightlyAudit(sql)
    expect(id).toBeString()
    expect(await startNightlyAudit(sql)).toBeUndefined()
    await end('failed', id)
  }
  expect(await startNightlyAudit(sql)).toBeUndefined()
  await sql`update audits set started_at = started_at - interval '1 day'`
  await end('clean', await startNightlyAudit(sql))
  expect(await startNightlyAudit(sql)).toBeUndefined()
  expect(await statuses(sql)).toEqual(['clean', 'failed', 'failed', 'failed'])
  expect((await listAudits(sql, newest)).map(run => run.started_by)).toEqual(Array(4).fill('schedule'))
})

test('two days without a finished audit are logged once, and again after the next one', async () => {
  await using db = await database()
  const { sql } = db
  const logged = readableLog()
  const check = openAuditCheck({ sql, log: logged.log })
  await check()
  expect(logged.lines()).toEqual([])
  await sql`update migrations set applied_at = now() - interval '49 hours'`
  for (let turns = 0; turns < 3; turns++) await check()
  const late = { level: 40, msg: 'no audit has finished for two days', hours: 49 }
  expect(logged.lines()).toMatchObject([late])
  await sql`update audits set status = 'clean', finished_at = now()`
  await check()
  await sql`update audits set finished_at = now() - interval '50 hours'`
  await check()
  expect(logged.lines()).toMatchObject([late, { ...late, hours: 50 }])
})

/** Keeps audits from finishing, as a large database would. Nothing else reads this table. */
const holdAudits = async ({ url }: Database) => {
  const holder = connect(url, { max: 1 })
  await holder.unsafe('begin; lock table refund_rises')
  return { release: () => holder.end({ timeout: 0 }) }
}

const worker = ({ url }: Database): Promise<Main> =>
  startMain({ ROLE: 'worker', DATABASE_URL: url, SECRET_KEY, LOG_LEVEL: 'info' })

const attempts = async (sql: Sql) => (await sql<{ attempt: number }[]>`select attempt from audits`)[0]?.attempt

test('a run whose worker was killed is finished by another worker', async () => {
  await using db = await database()
  await using first = await worker(db)
  const held = await holdAudits(db)
  await request(db.sql)
  await until(async () => (await attempts(db.sql)) === 1)
  first.child.kill('SIGKILL')
  await first.exited
  await using second = await worker(db)
  await until(async () => (await attempts(db.sql)) === 2, { timeoutMs: 40_000 })
  expect(await statuses(db.sql)).toEqual(['running'])
  await held.release()
  await until(async () => (await statuses(db.sql))[0] === 'clean')
  await until(() => second.lines.some(line => line.includes('audit clean')))
})

test('a worker that stops ends its run, which has failed then', async () => {
  await using db = await database()
  await using only = await worker(db)
  const held = await holdAudits(db)
  await request(db.sql)
  await until(async () => (await attempts(db.sql)) === 1)
  only.child.kill('SIGTERM')
  expect(await only.exited).toBe(0)
  expect(await statuses(db.sql)).toEqual(['failed'])
  expect(only.lines.some(line => line.includes('audit ended with its process'))).toBe(true)
  await held.release()
})
