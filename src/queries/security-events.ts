import type { Sql } from '../postgres/connect.ts'
import { type Page, pageBySeq } from './page.ts'

/** The account that does something, and its network address, for the audit log. */
export type AccountActor = {
  readonly accountId: string
  /** The account's id as in the API. */
  readonly actor: string
  readonly address: string
}

/** The operator, who uses the command line. */
export type Operator = { readonly accountId: null; readonly actor: 'operator'; readonly address: null }

export type SecurityEventRow = {
  readonly id: string
  readonly merchant_id: string
  readonly actor: string
  /** Set if an account acted. */
  readonly email: string | null
  readonly address: string | null
  readonly action: string
  readonly details: Readonly<Record<string, unknown>>
  readonly at: Date
}

/** The audit log of a merchant, of one action or of all. */
export const listSecurityEvents = (
  sql: Sql,
  { merchantId, action }: { merchantId: string; action: string | undefined },
  page: Page,
): Promise<SecurityEventRow[]> => sql<SecurityEventRow[]>`
  select e.id, e.merchant_id, e.actor, a.email, e.address, e.action, e.details, e.at
  from security_events e left join accounts a on a.id = e.account_id
  where e.merchant_id = ${merchantId} ${action === undefined ? sql`` : sql`and e.action = ${action}`}
    and ${pageBySeq(sql, page)}`

export const findSecurityEventSeq = async (sql: Sql, merchantId: string, id: string): Promise<string | undefined> => {
  const [row] = await sql<{ seq: string }[]>`
    select seq from security_events where merchant_id = ${merchantId} and id = ${id}`
  return row?.seq
}

/** An event that an operator sends to an actor of a merchant, with the reason, for the audit log of the merchant. */
export const recordOperatorEvent = async (
  sql: Sql,
  operatorId: string,
  { merchantId, ...details }: { merchantId: string; record: string; event: string; reason: string },
): Promise<void> => {
  // Without the account and its address: the merchant's owners read the entry.
  await sql`
    select record_security_event(
      ${merchantId}, null, ${operatorId}, null, 'operator.event_sent', ${JSON.stringify(details)}::text::json)`
}

/** Records that an operator has listed sessions. */
export const recordSessionsRead = async (sql: Sql, accountId: string, { actor, address }: Operator): Promise<void> => {
  await sql`select record_security_event(null, ${accountId}, ${actor}, ${address}, 'session.listed')`
}
