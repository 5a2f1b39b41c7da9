import type { Sql } from '../../src/postgres/connect.ts'

/** Changes rows together with their latest history row, as if the last command had written the values. */
export const rewrite = async (
  sql: Sql,
  table: 'payments' | 'payment_links',
  ids: readonly string[],
  changes: Readonly<Record<string, Date | number | null>>,
): Promise<void> => {
  const inHistory = Object.fromEntries(Object.entries(changes).map(([column, value]) => [camelCase(column), value]))
  await sql`update ${sql(table)} set ${sql(changes)} where id = any(${[...ids]}::uuid[])`
  await sql`
    with rewritten as (
      select h.actor, h.rev, (json_of(h.context)::jsonb || (
        select coalesce(jsonb_object_agg(key, value), '{}')
        from jsonb_each(${JSON.stringify(inHistory)}::text::jsonb) where json_of(h.context)::jsonb ? key))::text as context
      from transitions h join ${sql(table)} t on t.id = h.actor and t.rev = h.rev
      where t.id = any(${[...ids]}::uuid[])
      offset 0)
    update transitions h set context = r.context, digest = transition_digest(
      h.actor, h.rev, h.kind, h.command, h.event, h.from_state, h.to_state, h.cause, r.context, h.at,
      h.merchant_id, h.livemode, h.actor_created_at)
    from rewritten r
    where h.actor = r.actor and h.rev = r.rev`
}

const camelCase = (column: string) => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
