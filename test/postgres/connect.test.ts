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
