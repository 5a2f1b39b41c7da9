import { ACCESS_SECONDS, signAccessToken } from '../access/access-token.ts'
import { writeRefreshCookie } from '../access/refresh-cookie.ts'
import { makeRefreshToken, parseRefreshToken, type RefreshToken, successorsOf } from '../access/refresh-token.ts'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import { endSessions, findSessionByToken, insertSession, type NewSession, rotateSession } from '../queries/sessions.ts'
import type { AccountContext } from './account-context.ts'

/** The origin of a request. `network` is the group of its address for limits. */
export type ClientInfo = { readonly address: string; readonly network: string; readonly userAgent: string | null }

/** The access token for the body, and the refresh token in a cookie. */
export type Tokens = { readonly accessToken: string; readonly expiresIn: number; readonly cookie: string }

/** The actor in the audit log. */
export const actorOf = (accountId: string): string => encodeId('usr', accountId)

/** A new session that is not stored yet, and its first refresh token. */
export const draftSession = (
  context: Pick<AccountContext, 'clock' | 'random'>,
  accountId: string,
  { address, network, userAgent }: ClientInfo,
): [NewSession, RefreshToken] => {
  const id = uuidv7(context.clock.now(), context.random)
  const token = makeRefreshToken(id, context.random)
  return [{ id, tokenHash: token.hash, actor: actorOf(accountId), address, network, userAgent }, token]
}

/** `at` is the time of the database. */
export const issueTokens = async (
  context: Pick<AccountContext, 'keyring' | 'settings'>,
  accountId: string,
  token: RefreshToken,
  at: Date,
): Promise<Tokens> => ({
  accessToken: await signAccessToken(context.keyring, { accountId, sessionId: token.sessionId }, at),
  expiresIn: ACCESS_SECONDS,
  cookie: writeRefreshCookie(context.settings.publicUrl, token.text),
})

/** Opens a session for a caller who was authenticated in another way. */
export const openSession = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'random' | 'keyring' | 'settings'>,
  accountId: string,
  from: ClientInfo,
): Promise<Tokens> => {
  const [session, token] = draftSession(context, accountId, from)
  const at = await insertSession(context.sql, accountId, session)
  return issueTokens(context, accountId, token, at ?? context.clock.now())
}

/** Returns new tokens for a refresh token. A token that was used before ends its session. */
export const refreshSession = async (
  context: Pick<AccountContext, 'sql' | 'keyring' | 'sessions' | 'settings'>,
  shownText: string,
  { address }: ClientInfo,
): Promise<Tokens & { readonly accountId: string }> => {
  const shown = parseRefreshToken(shownText) ?? refuse('invalid_token')
  const { sessionId } = shown
  const successors = successorsOf(context.keyring, shown)
  const [successor] = successors
  if (!successor) throw new Error('cannot refresh a session: the keyring has no key')
  const rotated = await rotateSession(context.sql, { sessionId, shown: shown.hash, successor: successor.hash, address })
  if (rotated?.outcome !== 'rotated' || !rotated.account || !rotated.current_hash) {
    context.sessions.forget(sessionId)
    return refuse('invalid_token')
  }
  const { account, current_hash, now } = rotated
  // A parallel request may have got a successor that was made with the previous secret key.
  const current = successors.find(({ hash }) => Buffer.compare(hash, current_hash) === 0)
  // Or with a new secret key that this process does not have yet.
  if (!current) return refuse('service_unavailable', { retryAfter: 1 })
  return { ...(await issueTokens(context, account, current, now)), accountId: account }
}

/** The session of a refresh token, without rotating the token. */
export const findByRefreshToken = async (context: Pick<AccountContext, 'sql'>, text: string) => {
  const token = parseRefreshToken(text)
  const accountId = token && (await findSessionByToken(context.sql, token.sessionId, token.hash))
  return accountId ? { sessionId: token.sessionId, accountId } : undefined
}

/** Ends the session, or all sessions of the account. */
export const signOut = async (
  context: Pick<AccountContext, 'sql' | 'sessions'>,
  { sessionId, accountId }: { sessionId: string; accountId: string },
  everywhere: boolean,
  { address }: ClientInfo,
): Promise<void> => {
  await endSessions(
    context.sql,
    { accountId, only: everywhere ? null : sessionId },
    { actor: actorOf(accountId), address },
  )
  if (everywhere) context.sessions.forgetAccount(accountId)
  else context.sessions.forget(sessionId)
}

/** Ends a session of the account. The session of another account does not exist for the caller. */
export const endSession = async (
  context: Pick<AccountContext, 'sql' | 'sessions'>,
  accountId: string,
  sessionId: string,
  { address }: ClientInfo,
): Promise<void> => {
  const ended = await endSessions(context.sql, { accountId, only: sessionId }, { actor: actorOf(accountId), address })
  if (ended === 0) refuse('resource_not_found')
  context.sessions.forget(sessionId)
}
