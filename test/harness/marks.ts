import type { Sql } from '../../src/postgres/connect.ts'

/**
 * The tables with a row that contains one of these texts in any column, as text or as bytes, in any case. With the indexes,
 * whose values come from the tables, that is everything that a dump contains.
 */
export const findTablesWith = async (sql: Sql, marks: readonly string[]): Promise<readonly string[]> => {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm', 'p') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
    order by 1`
  const texts = marks.flatMap(mark => [mark.toLowerCase(), Buffer.from(mark).toString('hex')])
  const found: string[] = []
  for (const { name } of tables) {
    const [row] = await sql.unsafe<{ count: number }[]>(
      `select count(*)::integer as count from ${name} t where lower(t::text) like any($1::text[])`,
      [texts.map(text => `%${text}%`)],
    )
    if (row && row.count > 0) found.push(`${name}: ${row.count}`)
  }
  return found
}
