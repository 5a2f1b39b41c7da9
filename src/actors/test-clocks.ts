import type { Sql } from '../postgres/connect.ts'
import { type Context, type Kind, snakeCase } from './kind.ts'

/** The times of test clocks when the actors were read, by ID. A commit is decided again if one has moved since. */
export type ClockTimes = ReadonlyMap<string, Date>

export const NO_CLOCKS: ClockTimes = new Map()

/** The test clock of an actor; null if it has none. `context` can be that of an actor that is being created. */
export const testClockOf = ({ testClock }: Pick<Kind, 'testClock'>, context: Context): string | null =>
  testClock === undefined ? null : ((context[testClock] as string | null | undefined) ?? null)

/** The same, of a row. */
export const testClockOfRow = ({ testClock }: Pick<Kind, 'testClock'>, row: Readonly<Record<string, unknown>>) =>
  testClock === undefined ? null : ((row[snakeCase(testClock)] as string | null | undefined) ?? null)

/** A column for a statement that reads actors: the IDs and times of their test clocks, so that no second statement is needed. */
export const clocksOfActors = (
  sql: Sql,
  { table, testClock }: Pick<Kind, 'table' | 'testClock'>,
  ids: readonly string[],
) =>
  testClock === undefined
    ? sql`null`
    : sql`(
        select json_agg(distinct jsonb_build_array(c.id, c.now))
        from ${sql(table)} a join test_clocks c on c.id = a.${sql(snakeCase(testClock))}
        where a.id = any(${`{${ids.join(',')}}`}::text::uuid[]))`

/** One statement if there is a clock, none otherwise. */
export const readClockTimes = async (sql: Sql, ids: ReadonlySet<string>): Promise<ClockTimes> => {
  if (ids.size === 0) return NO_CLOCKS
  const rows = await sql<{ id: string; now: Date }[]>`
    select id, now from test_clocks where id = any(${`{${[...ids]}}`}::text::uuid[])`
  return new Map(rows.map(({ id, now }) => [id, now]))
}
