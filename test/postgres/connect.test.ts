import { expect, test } from 'bun:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/postgres/connect.ts'
import { database } from '../harness/database.ts'
import { databaseProxy } from '../harness/proxy.ts'

test('whoever asks again as soon as a connection is lost is answered, time and again', async () => {
  await using db = await database()
  await using path = await databaseProxy(db.url)
  const sql = connect(path.url, { max: 1 })
  const ask = async (n: number) => {
    const [row] = await sql<{ n: number }[]>`select ${n}::integer as n, pg_sleep(0.05)`
    return row?.n
  }
  /** Until it is answered: a connection that was just lost refuses, and keeps nobody waiting. */
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

test('who asks one thing after the other goes by one connection, however many there are', async () => {
  await using db = await database()
  const sql = connect(db.url, { max: 4 })
  const all = await Promise.all([1, 2, 3, 4].map(() => sql`select pg_backend_pid() as pid, pg_sleep(0.1)`))
  expect(new Set(all.map(([row]) => row?.pid)).size).toBe(4)
  const pids = new Set<number>()
  for (let n = 0; n < 8; n++) pids.add((await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid ?? 0)
  expect(pids.size).toBe(1)
  await sql.end({ timeout: 1 })
})
