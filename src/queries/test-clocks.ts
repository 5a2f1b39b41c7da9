import type { TestClock } from '../../machines/test-clock.ts'
import type { Actor } from '../actors/kind.ts'
import type { ActorRow } from '../actors/rows.ts'
import { readClockTimes } from '../actors/test-clocks.ts'
import type { Clock } from '../clock.ts'
import { testClockKind } from '../kinds/test-clock.ts'
import type { Sql } from '../postgres/connect.ts'
import { onlyRow } from '../postgres/errors.ts'
import { readerOf } from './actors.ts'
import { type ListOwner, listRows } from './list-rows.ts'
import type { Page } from './page.ts'
import { finderOf, type RecordKey } from './record-finder.ts'

/** The time of the records of a customer: that of its test clock, or the real time if it has none. */
export const findCustomerTime = async (
  { sql, clock }: { readonly sql: Sql; readonly clock: Pick<Clock, 'now'> },
  testClockId: string | null,
): Promise<Date> => {
  const now = clock.now()
  return testClockId === null ? now : ((await readClockTimes(sql, new Set([testClockId]))).get(testClockId) ?? now)
}

const readTestClock = readerOf(testClockKind)
const findRow = finderOf<ActorRow>('test_clocks')

/** A clock that was deleted is not found. */
export const findTestClock = async (sql: Sql, key: RecordKey): Promise<Actor<TestClock> | undefined> => {
  const row = await findRow(sql, key)
  return row && row.state !== 'deleted' ? readTestClock(row) : undefined
}

export const listTestClocks = async (sql: Sql, owner: ListOwner, page: Page): Promise<Actor<TestClock>[]> =>
  (await listRows<ActorRow>(sql, { table: 'test_clocks', owner, page, filters: sql`and state <> 'deleted'` })).map(
    readTestClock,
  )

/**
 * The clocks that have work: those that advance, and those that stand still and whose customers have something due, such as
 * a timer that was armed with a time that is already over.
 */
export const listWorkingClocks = (
  sql: Sql,
  {
    after = '00000000-0000-0000-0000-000000000000',
    withReady,
    limit,
  }: { readonly after?: string | undefined; readonly withReady: boolean; readonly limit: number },
): Promise<readonly { readonly id: string }[]> => sql<{ id: string }[]>`
  select id from (
    (select id from test_clocks where state = 'advancing' and id > ${after} order by id limit ${limit})
    union all
    (select id from test_clocks c
     where ${withReady} and state = 'ready' and id > ${after}
       and exists (select from timers t where t.test_clock_id = c.id and t.due_at <= c.now)
     order by id limit ${limit})) working
  order by id limit ${limit}`

/** What is left to do: see move_test_clock() in sql/120-test-clocks-functions.sql. `target`: of a clock that advances. */
export type ClockMove = { readonly outcome: 'moved' | 'waiting' | 'arrived' | 'ended'; readonly target: Date | null }

export const moveTestClock = async (sql: Sql, id: string): Promise<ClockMove> =>
  onlyRow(
    await sql<ClockMove[]>`
      select move_test_clock(${id}) as outcome, (select target from test_clocks where id = ${id}) as target`,
  )
