import { createHash } from 'node:crypto'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import type { AttemptLimit } from '../queries/attempts.ts'
import {
  type AcceptOutcome,
  acceptInvite,
  createInvite,
  findInvite,
  findOpenInvite,
  type InviteRow,
  type OpenInvite,
  revokeInvite,
} from '../queries/invites.ts'
import type { Role } from '../queries/members.ts'
import type { AccountActor } from '../queries/security-events.ts'
import type { AccountContext } from './account-context.ts'
import { type Checked, takeCounted } from './password-checks.ts'
import { requireUnguessable } from './passwords.ts'
import { actorOf, openSession, type Tokens } from './sessions.ts'

export type NewInvite = { readonly merchantId: string; readonly role: Role; readonly email: string | null }

/** The token is only in the response. */
export const invite = async (
  { sql, clock, random }: Pick<AccountContext, 'sql' | 'clock' | 'random'>,
  { merchantId, role, email }: NewInvite,
  by: AccountActor,
): Promise<{ invite: InviteRow; token: string }> => {
  const id = uuidv7(clock.now(), random)
  const token = Buffer.from(random(new Uint8Array(32))).toString('base64url')
  const details = { inviteId: encodeId('invite', id), role, email }
  const outcome = await createInvite(sql, { id, merchantId, role, email, tokenHash: hashOf(token), details }, by)
  if (outcome === 'not_owner') refuse('insufficient_role')
  return { invite: (await findInvite(sql, merchantId, id)) ?? refuse('resource_not_found'), token }
}

export const revoke = async (
  { sql }: Pick<AccountContext, 'sql'>,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
  by: AccountActor,
): Promise<void> => {
  const outcome = await revokeInvite(sql, { id, merchantId, details: { inviteId: encodeId('invite', id) } }, by)
  if (outcome === 'not_owner') refuse('insufficient_role')
  if (outcome === 'missing') refuse('resource_not_found')
}

/** For each network: tokens cannot be guessed, and each request costs a query. */
const limit: AttemptLimit = { allowed: 30, seconds: 60 }

/** What an invite is for, before it is accepted. */
export const previewInvite = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'passwords'>,
  token: string,
  from: Checked,
): Promise<OpenInvite> => {
  await takeCounted(context, from, { subjects: () => [`invite:${from.network}`], limit })
  return (await findOpenInvite(context.sql, hashOf(token))) ?? refuse('resource_not_found')
}

/** Makes an existing account a member. */
export const accept = async (
  { sql, sessions }: Pick<AccountContext, 'sql' | 'sessions'>,
  token: string,
  by: AccountActor,
): Promise<void> => {
  judge(await acceptInvite(sql, hashOf(token), by))
  // A read in progress may still return no membership.
  sessions.forgetAccount(by.accountId)
}

/** Creates an account for the holder of the link, even if sign-up is closed. */
export const acceptAsNew = async (
  context: Omit<AccountContext, 'sessions'>,
  { token, email, password }: { readonly token: string; readonly email: string; readonly password: string },
  from: Checked,
): Promise<{ accountId: string; tokens: Tokens }> => {
  requireUnguessable(password, email, 'password')
  await takeCounted(context, from, { subjects: () => [`sign-up:${from.network}`], limit })
  // Checked before the password is hashed, which is expensive; the statement checks it again.
  if (!(await findOpenInvite(context.sql, hashOf(token)))) refuse('resource_not_found')
  const accountId = uuidv7(context.clock.now(), context.random)
  const by = { accountId, actor: actorOf(accountId), address: from.address }
  const passwordHash = await context.passwords.hash(from.site, password)
  judge(await acceptInvite(context.sql, hashOf(token), by, { email, passwordHash }))
  return { accountId, tokens: await openSession(context, accountId, from) }
}

const judge = (outcome: AcceptOutcome | undefined): void => {
  if (outcome === 'missing') refuse('resource_not_found')
  if (outcome === 'email_taken') refuse('email_taken')
  if (outcome === 'other_email') refuse('state_conflict', { message: 'The invite is for another e-mail address.' })
  if (outcome === 'member_already')
    refuse('state_conflict', { message: 'The account is already a member of the merchant.' })
}

const hashOf = (token: string): Uint8Array => createHash('sha256').update(token).digest()
