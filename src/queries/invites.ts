import type { Sql } from '../postgres/connect.ts'
import type { Role } from './members.ts'
import { type Page, pageBySeq } from './page.ts'
import type { AccountActor } from './security-events.ts'

export type InviteRow = {
  readonly id: string
  readonly merchant_id: string
  readonly role: Role
  readonly email: string | null
  readonly created_by: string
  readonly expired: boolean
  readonly expires_at: Date
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) => sql`
  id, merchant_id, role, email, created_by, expires_at <= now() as expired, expires_at, created_at, updated_at`

/** Invites that were neither used nor revoked. */
export const listInvites = (sql: Sql, merchantId: string, page: Page): Promise<InviteRow[]> => sql<InviteRow[]>`
  select ${columns(sql)} from invites
  where merchant_id = ${merchantId} and accepted_at is null and revoked_at is null and ${pageBySeq(sql, page)}`

export const findInvite = async (sql: Sql, merchantId: string, id: string): Promise<InviteRow | undefined> => {
  const [row] = await sql<InviteRow[]>`
    select ${columns(sql)} from invites where merchant_id = ${merchantId} and id = ${id}`
  return row
}

/** Includes invites that were used or revoked after the cursor was returned. */
export const findInviteSeq = async (sql: Sql, merchantId: string, id: string): Promise<string | undefined> => {
  const [row] = await sql<{ seq: string }[]>`select seq from invites where merchant_id = ${merchantId} and id = ${id}`
  return row?.seq
}

export type OpenInvite = {
  readonly merchantName: string
  readonly role: Role
  readonly hasEmail: boolean
  readonly expiresAt: Date
}

/** The invite with this token hash, if it can be accepted. */
export const findOpenInvite = async (sql: Sql, tokenHash: Uint8Array): Promise<OpenInvite | undefined> => {
  const [row] = await sql<OpenInvite[]>`
    select m.name as "merchantName", i.role, i.email is not null as "hasEmail", i.expires_at as "expiresAt"
    from invites i join merchants m on m.id = i.merchant_id
    where i.token_hash = ${tokenHash} and i.accepted_at is null and i.revoked_at is null and i.expires_at > now()`
  return row
}

export const createInvite = async (
  sql: Sql,
  invite: { id: string; merchantId: string; role: Role; email: string | null; tokenHash: Uint8Array; details: object },
  by: AccountActor,
): Promise<'created' | 'not_owner' | undefined> => {
  const [answer] = await sql<{ outcome: 'created' | 'not_owner' }[]>`
    select create_invite(
      ${invite.id}, ${invite.merchantId}, ${invite.role}, ${invite.email}, ${invite.tokenHash},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(invite.details)}::text::json) as outcome`
  return answer?.outcome
}

export type RevokeOutcome = 'revoked' | 'missing' | 'not_owner'

export const revokeInvite = async (
  sql: Sql,
  invite: { id: string; merchantId: string; details: object },
  by: AccountActor,
): Promise<RevokeOutcome | undefined> => {
  const [answer] = await sql<{ outcome: RevokeOutcome }[]>`
    select revoke_invite(
      ${invite.id}, ${invite.merchantId}, ${by.accountId}, ${by.actor}, ${by.address},
      ${JSON.stringify(invite.details)}::text::json) as outcome`
  return answer?.outcome
}

export type AcceptOutcome = 'accepted' | 'missing' | 'other_email' | 'member_already' | 'email_taken'

/** With `newAccount`, the account of `by` is created in the same statement. */
export const acceptInvite = async (
  sql: Sql,
  tokenHash: Uint8Array,
  by: AccountActor,
  newAccount?: { email: string; passwordHash: string },
): Promise<AcceptOutcome | undefined> => {
  const [answer] = await sql<{ outcome: AcceptOutcome }[]>`
    select accept_invite(
      ${tokenHash}, ${by.accountId}, ${by.actor}, ${by.address},
      ${newAccount?.email ?? null}, ${newAccount?.passwordHash ?? null}) as outcome`
  return answer?.outcome
}
