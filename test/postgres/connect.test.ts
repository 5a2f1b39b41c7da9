import { expect, test } from 'bun:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/postgres/connect.ts'
import { classifyError } from '../../src/postgres/errors.ts'
import { database } from '../harness/database.ts'
import { databaseProxy } from '../harness/proxy.ts'

test('a query sent right after a connection was lost gets its result, repeatedly', async () => {
  await using db = await database()
  await using path = await databaseProxy(db.url)
  const sql = connect(path.url, { max: 1 })
  const ask = async (n: number) => {
    const [row] = await sql<{ n: number }[]>`select ${n}::integer as n, pg_sleep(0.05)`
    return row?.n
  }
  /** Repeated until it gets a result: a connection that was just lost rejects queries without making them wait. */
  const askOn = (n: number): Promise<number | undefined> => ask(n).catch(() => askOn(n))
  for (let turn = 0; turn < 8; turn++) {
    expect(await askOn(turn)).toBe(turn)
    const asked = [1, 2, 3].map(n => askOn(turn * 10 + n))
    await sleep(turn)
    path.reset()
    const answers = await Promise.race([Promise.all(asked), sleep(8_000)])
    expect(answers).toEqual([1, 2, 3].map(n => turn * 10 + n))
  }
  await sql.end({ timeout: 1 })
}, 60_000)

test('a statement that fails in the middle of its rows leaves none of them to the next one', async () => {
  await using db = await database()
  const sql = connect(db.url, { max: 1 })
  const failing = sql`select 1 / (3 - n) as n from generate_series(1, 3) as n`
  // The second is sent before the first has failed.
  const [failed, answered] = await Promise.allSettled([failing, sql`select 7 as n`])
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'division by zero' } })
  expect(answered).toMatchObject({ status: 'fulfilled', value: [{ n: 7 }] })
  await sql.end({ timeout: 1 })
})

test('a statement that cannot be sent fails alone, also behind one in progress', async () => {
  await using db = await database()
  const sql = connect(db.url, { max: 1 })
  const ask = (value: unknown) => sql`select ${value as Date}::timestamptz as at`
  // Prepared already, so its parameters are written immediately.
  await ask(new Date(0))
  for (const wrong of [undefined, new Date(Number.NaN)]) {
    for (const underWay of [[], [sql`select pg_sleep(0.1)`]]) {
      const asked = [...underWay, ask(wrong), sql`select 1 as n`, ask(wrong), sql`select 2 as n`]
      const ends = await Promise.race([Promise.allSettled(asked), sleep(5_000, [])])
      const answered = { status: 'fulfilled' }
      const refused = { status: 'rejected', reason: { message: expect.stringMatching(/undefined|[Dd]ate/i) } }
      expect(ends).toMatchObject([
        ...underWay.map(() => answered),
        refused,
        { ...answered, value: [{ n: 1 }] },
        refused,
        { ...answered, value: [{ n: 2 }] },
      ])
    }
  }
  expect([...(await sql`select 3 as n`)]).toEqual([{ n: 3 }])
  await sql.end({ timeout: 1 })
})

test('a statement whose table has changed fails once, and no query gets the result of another', async () => {
  await using db = await database()
  const sql = connect(db.url, { max: 1 })
  await sql`create table shops (id integer primary key, name text not null)`
  await sql`insert into shops select n, 'shop ' || n from generate_series(1, 3) as n`
  const find = (id: number) => sql`select * from shops where id = ${id}`
  await find(1)
  await sql`alter table shops add column open boolean not null default true`
  const ends = await Promise.race([Promise.allSettled([find(1), find(2), find(3)]), sleep(5_000, [])])
  expect(ends).toHaveLength(3)
  for (const [at, end] of ends.entries())
    if (end.status === 'fulfilled') expect([...end.value]).toEqual([{ id: at + 1, name: `shop ${at + 1}`, open: true }])
    else expect(classifyError(end.reason)).toBe('aborted')
  expect([...(await find(2))]).toEqual([{ id: 2, name: 'shop 2', open: true }])
  await sql.end({ timeout: 1 })
})

test('a connection cut in the middle of a result leaves nothing of it to the next connection', async () => {
  await using db = await database()
  const sql = connect(db.url, { max: 1 })
  const dying = sql`
    select n, case n when 3 then pg_terminate_backend(pg_backend_pid()) end from generate_series(1, 3) as n`
  expect(await Promise.allSettled([dying])).toMatchObject([{ reason: { code: 'CONNECTION_CLOSED' } }])
  expect([...(await sql`select 7 as n`)]).toEqual([{ n: 7 }])
  await sql.end({ timeout: 1 })
})

test('sequential queries use one connection, however many there are', async () => {
  await using db = await database()
  const sql = connect(db.url, { max: 4 })
  const all = await Promise.all([1, 2, 3, 4].map(() => sql`select pg_backend_pid() as pid, pg_sleep(0.1)`))
  expect(new Set(all.map(([row]) => row?.pid)).size).toBe(4)
  const pids = new Set<number>()
  for (let n = 0; n < 8; n++) pids.add((await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid ?? 0)
  expect(pids.size).toBe(1)
  await sql.end({ timeout: 1 })
})

test('a query that exceeds its timeout loses its connection, and the next query gets a new one', async () => {
  await using db = await database()
  await using path = await databaseProxy(db.url)
  const sql = connect(path.url, { max: 1, answerS: 1 })
  const [before] = await sql`select pg_backend_pid() as pid`
  path.stall()
  const began = performance.now()
  const [first, second] = await Promise.allSettled([sql`select 1`, sql`select 2`])
  expect(performance.now() - began).toBeGreaterThan(900)
  for (const lost of [first, second]) expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'ETIMEDOUT' } })
  expect(classifyError(Object.assign(new Error(), { code: 'ETIMEDOUT' }))).toBe('lost')
  // Until it is closed, it rejects queries.
  const askOn = (): Promise<readonly { pid: number }[]> =>
    sql<{ pid: number }[]>`select pg_backend_pid() as pid`.catch(askOn)
  const [after] = await askOn()
  expect(after?.pid).not.toBe(before?.pid)
  // An idle connection has no timeout, and results that keep coming may take any time in total.
  await sleep(1_300)
  const [idle] = await sql`select pg_backend_pid() as pid, pg_sleep(0.7)`
  const [busy] = await sql`select pg_backend_pid() as pid, pg_sleep(0.7)`
  expect([idle?.pid, busy?.pid]).toEqual([after?.pid, after?.pid])
  await sql.end({ timeout: 1 })
})

test('times are read alike in every format of the database', async () => {
  await using db = await database()
  const { pathname } = new URL(db.url)
  await db.sql.unsafe(`alter database ${pathname.slice(1)} set datestyle = 'SQL, DMY'`)
  const sql = connect(db.url, { max: 1 })
  const [row] =
    await sql`select '2026-03-05T10:00:00Z'::timestamptz::text as text, '2026-03-05T10:00:00Z'::timestamptz as at`
  expect(new Date(row?.text).toISOString()).toBe('2026-03-05T10:00:00.000Z')
  expect(row?.at).toEqual(new Date('2026-03-05T10:00:00Z'))
  await sql.end({ timeout: 1 })
})

test('a statement that waits for a lock is canceled by the server, and nothing of it remains', async () => {
  await using db = await database()
  const holder = connect(db.url, { max: 1 })
  await holder.unsafe('begin; lock table merchants in access exclusive mode')
  const sql = connect(db.url, { max: 1, answerS: 1 })
  const [before] = await sql`select pg_backend_pid() as pid`
  const refused = await sql`select from merchants`.catch(error => error)
  expect(classifyError(refused)).toBe('aborted')
  // The same connection, which is free again.
  const [after] = await sql`select pg_backend_pid() as pid`
  expect(after?.pid).toBe(before?.pid)
  await holder.end({ timeout: 1 })
  await sql.end({ timeout: 1 })
})
