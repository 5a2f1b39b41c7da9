import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Sql } from '../../src/postgres/connect.ts'
import { takeAttempt } from '../../src/queries/attempts.ts'
import { elsewhere } from '../access/elsewhere.ts'
import { database } from '../harness/database.ts'

const minute = { allowed: 5, seconds: 60 }

const waits = async (sql: Sql, subjects: readonly string[], pass?: string) =>
  (await takeAttempt(sql, subjects, minute, pass)).wait

const insertAt = (sql: Sql, subject: string, secondsAgo: number) =>
  sql`insert into attempts values (${subject}, clock_timestamp() - make_interval(secs => ${secondsAgo}))`

const countOf = async (sql: Sql, subject: string) => (await sql`select from attempts where subject = ${subject}`).length

const rounds = 10

/** Fifty simultaneous tries in every round, in a process of its own that starts on a signal. Returns how many were counted. */
const tryInProcess = (url: string) => {
  const module = (path: string) => JSON.stringify(import.meta.resolve(path))
  const script = `
    import { once } from 'node:events'
    import { connect } from ${module('../../src/postgres/connect.ts')}
    import { takeAttempt } from ${module('../../src/queries/attempts.ts')}
    const sql = connect(${JSON.stringify(url)})
    const atOnce = (times, work) => Promise.all(Array.from({ length: times }, work))
    // All connections are open first; otherwise the first one would do all the work.
    await atOnce(10, () => sql\`select pg_sleep(0.2)\`)
    console.log('ready')
    await once(process.stdin, 'data')
    let counted = 0
    for (let round = 0; round < ${rounds}; round++) {
      const taken = await atOnce(50, () => takeAttempt(sql, ['b' + round, 'a' + round], ${JSON.stringify(minute)}))
      counted += taken.filter(({ wait }) => wait === null).length
    }
    console.log(counted)
    process.exit()`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ready = once(child.stdout, 'data')
  const begin = async (): Promise<number> => {
    child.stdin.write('begin')
    return Number(await text(child.stdout))
  }
  return { ready, begin }
}

test('of a hundred simultaneous tries in two processes five are counted', async () => {
  await using db = await database()
  const processes = [tryInProcess(db.url), tryInProcess(db.url)]
  await Promise.all(processes.map(({ ready }) => ready))
  const counted = await Promise.all(processes.map(({ begin }) => begin()))
  expect(counted.reduce((a, b) => a + b)).toBe(5 * rounds)
  for (let round = 0; round < rounds; round++) expect(await countOf(db.sql, `a${round}`)).toBe(5)
})

test('callers that name the same subjects in another order do not deadlock', async () => {
  await using db = await database()
  await using other = elsewhere(db.sql)
  const orders = Array.from({ length: 60 }, (_, i) => {
    const [a, b, sql] = [`a${i % 7}`, `b${i % 5}`, i % 2 ? db.sql : other.sql]
    return waits(sql, i % 2 ? [a, b] : [b, a])
  })
  await Promise.all(orders)
})

test('one subject at its limit refuses the whole try, and no subject counts it', async () => {
  await using db = await database()
  for (let i = 0; i < 5; i++) expect(await waits(db.sql, ['address', `account ${i}`])).toBeNull()
  expect(await waits(db.sql, ['address', 'account'])).toBeWithin(50, 61)
  expect(await countOf(db.sql, 'account')).toBe(0)
  expect(await countOf(db.sql, 'address')).toBe(5)
})

test('the window slides: the sixth try waits until the first of five is a minute old', async () => {
  await using db = await database()
  for (const secondsAgo of [61, 50, 30, 25, 20]) await insertAt(db.sql, 'a', secondsAgo)
  expect(await waits(db.sql, ['a'])).toBeNull()
  expect(await waits(db.sql, ['a'])).toBeWithin(1, 11)
  await db.sql`update attempts set at = at - interval '10 seconds'`
  expect(await waits(db.sql, ['a'])).toBeNull()
  expect(await waits(db.sql, ['a'])).toBeWithin(11, 21)
})

test('a clock that is set back an hour locks nothing out', async () => {
  await using db = await database()
  for (let i = 0; i < 5; i++) await insertAt(db.sql, 'a', -3_600)
  expect(await waits(db.sql, ['a'])).toBeNull()
})

test('an allowance is valid for one try within its minute, also when two use it at the same time', async () => {
  await using db = await database()
  await using other = elsewhere(db.sql)
  for (let i = 0; i < 5; i++) await insertAt(db.sql, 'a', 1)
  await insertAt(db.sql, 'old pass', 61)
  await insertAt(db.sql, 'pass', 1)
  expect(await waits(db.sql, ['a'], 'old pass')).toBeWithin(50, 60)
  const both = await Promise.all([waits(db.sql, ['a'], 'pass'), waits(other.sql, ['a'], 'pass')])
  expect(both.filter(wait => wait === null)).toHaveLength(1)
})

test('expired tries are removed by later tries, a few at a time', async () => {
  await using db = await database()
  await db.sql`insert into attempts select 'old', now() - interval '61 minutes' from generate_series(1, 30)`
  await insertAt(db.sql, 'late', 59 * 60)
  await waits(db.sql, ['a'])
  expect(await countOf(db.sql, 'old')).toBe(10)
  await waits(db.sql, ['a'])
  expect(await countOf(db.sql, 'old')).toBe(0)
  expect(await countOf(db.sql, 'late')).toBe(1)
})
