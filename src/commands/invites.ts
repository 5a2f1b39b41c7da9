import { createHash } from 'node:crypto'
import { refuse } from '../errors.ts'
import type { Api } from '../http/api.ts'
import type { Role } from '../http/route.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import {
  type AcceptOutcome,
  acceptInvite,
  createInvite,
  findInvite,
  type InviteRow,
  isInviteOpen,
  revokeInvite,
} from '../queries/invites.ts'
import type { Doer } from '../queries/security-events.ts'

export type NewInvite = { readonly merchantId: string; readonly role: Role; readonly email: string | null }

/** The token is in the answer and nowhere else. */
export const invite = async (
  { sql, clock, random }: Pick<Api, 'sql' | 'clock' | 'random'>,
  { merchantId, role, email }: NewInvite,
  by: Doer,
): Promise<{ invite: InviteRow; token: string }> => {
  const id = uuidv7(clock.now(), random)
  const token = Buffer.from(random(new Uint8Array(32))).toString('base64url')
  const details = { inviteId: encodeId('invite', id), role, email }
  const outcome = await createInvite(sql, { id, merchantId, role, email, tokenHash: hashOf(token), details }, by)
  if (outcome === 'not_owner') refuse('insufficient_role')
  return { invite: (await findInvite(sql, merchantId, id)) ?? refuse('resource_not_found'), token }
}

export const revoke = async (
  { sql }: Pick<Api, 'sql'>,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
  by: Doer,
): Promise<void> => {
  const outcome = await revokeInvite(sql, { id, merchantId, details: { inviteId: encodeId('invite', id) } }, by)
  if (outcome === 'not_owner') refuse('insufficient_role')
  if (outcome === 'missing') refuse('resource_not_found')
}

/** Makes an account that exists a member. */
export const accept = async (
  { sql, sessions }: Pick<Api, 'sql' | 'sessions'>,
  token: string,
  by: Doer,
): Promise<void> => {
  judge(await acceptInvite(sql, hashOf(token), by))
  sessions.forgetAccount(by.accountId)
}

/** Makes an account for whoever holds the link, also while sign-up is closed. Answers its id. */
export const acceptAsNew = async (
  { sql, clock, random, passwords }: Pick<Api, 'sql' | 'clock' | 'random' | 'passwords'>,
  token: string,
  { email, password, address }: { readonly email: string; readonly password: string; readonly address: string },
): Promise<string> => {
  // Before the password is hashed: a token that opens nothing must cost nothing.
  if (!(await isInviteOpen(sql, hashOf(token)))) refuse('resource_not_found')
  const accountId = uuidv7(clock.now(), random)
  const by = { accountId, actor: encodeId('usr', accountId), address }
  judge(await acceptInvite(sql, hashOf(token), by, { email, passwordHash: await passwords.hash(password) }))
  return accountId
}

const judge = (outcome: AcceptOutcome | undefined): void => {
  if (outcome === 'missing') refuse('resource_not_found')
  if (outcome === 'email_taken') refuse('email_taken')
  if (outcome === 'other_email') refuse('state_conflict', { message: 'This invite is for another e-mail address.' })
  if (outcome === 'member_already') refuse('state_conflict', { message: 'This account is a member already.' })
}

const hashOf = (token: string): Uint8Array => createHash('sha256').update(token).digest()
