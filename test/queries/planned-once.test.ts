import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connectForRequests } from '../../src/postgres/request-pool.ts'
import { listCustomers } from '../../src/queries/customer-lists.ts'
import { database } from '../harness/database.ts'

test('a search of requests is not planned for its values', async () => {
  await using db = await database()
  await using pool = new AsyncDisposableStack()
  const sql = pool.adopt(connectForRequests(db.url), each => each.end({ timeout: 1 }))
  const owner = { merchantId: randomUUID(), livemode: false }
  // One after the other, so all use one connection.
  for (let n = 0; n < 8; n++) {
    const filter = { email: undefined, reference: undefined, search: `nothing ${n}` }
    await listCustomers(sql, owner, filter, { after: undefined, limit: 20, order: 'desc' })
  }
  const [planned] = await sql`
    select sum(generic_plans)::int as once, sum(custom_plans)::int as "forValues" from pg_prepared_statements
    where statement like '%candidates%' and statement not like '%pg_prepared_statements%'`
  expect(planned).toEqual({ once: 8, forValues: 0 })
})
