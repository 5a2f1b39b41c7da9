import type { Sql } from '../../src/postgres/connect.ts'

/**
 * Every row of every table, as text, to check that nothing has changed or that something was never written. Without
 * the time of a key's last use, which is written seconds after the request.
 */
export const contentsOf = async (sql: Sql): Promise<Readonly<Record<string, string>>> => {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`
  const contents = tables.map(async ({ name }) => {
    const [row] = await sql.unsafe<{ rows: string | null }[]>(
      `select string_agg(line, E'\\n' order by line) as rows
       from (select (to_jsonb(t) - 'last_used_at')::text as line from ${name} t) lines`,
    )
    return [name, row?.rows ?? ''] as const
  })
  return Object.fromEntries(await Promise.all(contents))
}
