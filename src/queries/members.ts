import type { Sql } from '../postgres/connect.ts'
import { type Page, pageBySeq } from './page.ts'
import type { AccountActor } from './security-events.ts'

export type Role = 'owner' | 'developer' | 'viewer'

export type MemberRow = {
  readonly account_id: string
  readonly merchant_id: string
  readonly email: string
  readonly role: Role
  readonly mfa_enabled: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) => sql`
  m.account_id, m.merchant_id, a.email, m.role, a.mfa_enabled_at is not null as mfa_enabled, m.created_at, m.updated_at`

export const listMembers = (sql: Sql, merchantId: string, page: Page): Promise<MemberRow[]> => sql<MemberRow[]>`
  select ${columns(sql)} from members m join accounts a on a.id = m.account_id
  where m.merchant_id = ${merchantId} and ${pageBySeq(sql, page)}`

export const findMember = async (sql: Sql, merchantId: string, accountId: string): Promise<MemberRow | undefined> => {
  const [row] = await sql<MemberRow[]>`
    select ${columns(sql)} from members m join accounts a on a.id = m.account_id
    where m.merchant_id = ${merchantId} and m.account_id = ${accountId}`
  return row
}

export const findMemberSeq = async (sql: Sql, merchantId: string, accountId: string): Promise<string | undefined> => {
  const [row] = await sql<{ seq: string }[]>`
    select seq from members where merchant_id = ${merchantId} and account_id = ${accountId}`
  return row?.seq
}

export type MemberOutcome = 'changed' | 'missing' | 'not_owner' | 'last_owner'

/** Sets another role; null ends the membership. */
export const changeMember = async (
  sql: Sql,
  change: { merchantId: string; accountId: string; role: Role | null; details: object },
  by: AccountActor,
): Promise<MemberOutcome | undefined> => {
  const [answer] = await sql<{ outcome: MemberOutcome }[]>`
    select change_member(
      ${change.merchantId}, ${change.accountId}, ${change.role}, ${by.accountId}, ${by.actor}, ${by.address},
      ${JSON.stringify(change.details)}::text::jsonb) as outcome`
  return answer?.outcome
}
