import { expect } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import type { Sql } from '../../src/postgres/connect.ts'

/** The end of every fault test. A lock may be a minute older than its worker; the test makes each older instead of waiting. */
export const expectClean = async (sql: Sql): Promise<void> => {
  await sql`update graphile_worker._private_jobs set locked_at = locked_at - interval '1 minute' where locked_at is not null`
  expect(await audit(sql, kinds)).toEqual([])
}
