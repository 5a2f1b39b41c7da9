import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { findRefund } from '../../src/queries/refunds.ts'
import { database } from '../harness/database.ts'

type Made = { readonly id: string; readonly merchantId: string; readonly livemode: boolean }

const insertRefunds = (sql: Sql, merchantId: string, livemode: boolean): Promise<Made[]> => sql<Made[]>`
  insert into refunds (id, state, rev, version, created_at, updated_at, merchant_id, livemode, api_version,
    payment_id, amount_minor, currency, metadata, chain_id, asset, amount, confirmations, attention)
  select gen_random_uuid(), 'canceled', 1, 1, now(), now(), ${merchantId}, ${livemode}, 'x',
    gen_random_uuid(), 1, 'USD', '{}', 1, 'X', 1, 0, false from generate_series(1, 20)
  returning id, merchant_id as "merchantId", livemode`

/** How many statements the database has executed. */
const statementsOf = async (sql: Sql): Promise<number> => {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<{ count: number }[]>`
    select xact_commit::int as count from pg_stat_database where datname = current_database()`
  return row?.count ?? 0
}

test('each of hundreds of simultaneous queries gets its own object and no other', async () => {
  await using db = await database()
  // Each connection has its own statistics of statements.
  await using pool = new AsyncDisposableStack()
  const sql = pool.adopt(connect(db.url, { max: 1 }), each => each.end({ timeout: 1 }))
  const [here, elsewhere] = [randomUUID(), randomUUID()]
  const made = (
    await Promise.all(
      [here, elsewhere].flatMap(merchantId => [true, false].map(mode => insertRefunds(sql, merchantId, mode))),
    )
  ).flat()
  const before = await statementsOf(sql)
  const found = await Promise.all(
    made.flatMap(({ id, merchantId, livemode }) => [
      findRefund(sql, { id, merchantId, livemode }),
      findRefund(sql, { id, merchantId, livemode: undefined }),
      findRefund(sql, { id, merchantId, livemode: !livemode }),
      findRefund(sql, { id, merchantId: merchantId === here ? elsewhere : here, livemode }),
      findRefund(sql, { id: randomUUID(), merchantId, livemode }),
    ]),
  )
  // Four hundred queries, a hundred at a time, and the two that count them.
  expect((await statementsOf(sql)) - before).toBeLessThanOrEqual(6)
  expect(found.map(refund => refund?.id)).toEqual(made.flatMap(({ id }) => [id, id, undefined, undefined, undefined]))
})
