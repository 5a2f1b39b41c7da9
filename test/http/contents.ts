import type { Sql } from '../../src/postgres/connect.ts'

/** Every row of every table, as text: to see that nothing has changed, or that something was never written down. */
export const contentsOf = async (sql: Sql): Promise<Readonly<Record<string, string>>> => {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`
  const contents = tables.map(async ({ name }) => {
    const [row] = await sql.unsafe<{ rows: string | null }[]>(
      `select string_agg(t::text, E'\\n' order by t::text) as rows from ${name} t`,
    )
    return [name, row?.rows ?? ''] as const
  })
  return Object.fromEntries(await Promise.all(contents))
}
