import { expect, test } from 'bun:test'
import { mineWhileNeeded } from '../../src/sandbox/mining.ts'
import { database } from '../harness/database.ts'
import { readableLog } from '../harness/lines.ts'
import { until } from '../harness/until.ts'

test('an outage of the database is logged when it begins, not at every check', async () => {
  await using db = await database()
  const { log, lines } = readableLog()
  let checks = 0
  const sql = new Proxy(db.sql, {
    apply: (target, self, args) => {
      checks++
      return Reflect.apply(target, self, args)
    },
  })
  const checked = async () => {
    const wanted = checks + 4
    await until(() => checks >= wanted)
  }
  const mining = mineWhileNeeded({ sql, log }, { keepMining: () => ({ [Symbol.dispose]: () => {} }) }, 10)
  for (const outages of [1, 2]) {
    await db.sql`alter table payments rename to missing`
    await checked()
    expect(lines().map(({ msg }) => msg)).toEqual(Array(outages).fill('sandbox mining check failed, retrying'))
    await db.sql`alter table missing rename to payments`
    await checked()
  }
  await mining.stop()
})
