import type { Sql } from '../../src/postgres/connect.ts'

/** Lets a payment happen from a moment on, with one transition every so many milliseconds. */
export const happenAt = async (sql: Sql, actor: string, start: Date, everyMs: number): Promise<void> => {
  await sql`
    update transitions t set at = moved.at, actor_created_at = ${start}, digest = transition_digest(
      t.actor, t.rev, t.kind, t.command, t.event, t.from_state, t.to_state, t.cause, t.context, moved.at,
      t.merchant_id, t.livemode, ${start})
    from (select actor, rev, ${start}::timestamptz + (rev - 1) * ${everyMs} * interval '1 millisecond' as at
      from transitions where actor = ${actor}) moved
    where t.actor = moved.actor and t.rev = moved.rev`
  await sql`update payments set created_at = ${start} where id = ${actor}`
}
