import type { Sql } from '../../postgres/connect.ts'

/** Stores a ticket of a session, and deletes those that have expired. */
export const insertTicket = async (sql: Sql, hash: Uint8Array, sessionId: string): Promise<void> => {
  await sql`
    with expired as (delete from inspector_tickets where expires_at < now())
    insert into inspector_tickets (hash, session_id) values (${hash}, ${sessionId})`
}

export type TicketHolder = { readonly sessionId: string; readonly accountId: string }

/** The session of a ticket, which is used up. Undefined if its session has ended or its account is no operator any more. */
export const takeTicket = async (sql: Sql, hash: Uint8Array): Promise<TicketHolder | undefined> => {
  const [row] = await sql<TicketHolder[]>`
    with taken as (delete from inspector_tickets where hash = ${hash} returning session_id, expires_at)
    select s.id as "sessionId", s.account_id as "accountId"
    from taken
    join sessions s on s.id = taken.session_id and s.ended_at is null
    join accounts a on a.id = s.account_id and a.operator
    where taken.expires_at > now()`
  return row
}

/** The sessions among these that are active, with an account that is an operator, and whether a second factor was given. */
export const findOperatorSessions = async (
  sql: Sql,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly hasSecondFactor: boolean }>> => {
  const rows = await sql<{ id: string; hasSecondFactor: boolean }[]>`
    select s.id, coalesce(s.second_factor_at > a.mfa_enabled_at, false) as "hasSecondFactor"
    from sessions s join accounts a on a.id = s.account_id and a.operator
    where s.id = any(${[...sessionIds]}::uuid[]) and s.ended_at is null`
  return new Map(rows.map(({ id, hasSecondFactor }) => [id, { hasSecondFactor }]))
}
