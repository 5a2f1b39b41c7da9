import { ACCESS_SECONDS, signAccessToken } from '../access/access-token.ts'
import { writeRefreshCookie } from '../access/refresh-cookie.ts'
import { makeRefreshToken, parseRefreshToken, type RefreshToken, successorsOf } from '../access/refresh-token.ts'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import {
  endSessions,
  findSessionByToken,
  openSession as insertSession,
  type NewSession,
  rotateSession,
} from '../queries/sessions.ts'
import type { AccountContext } from './account-context.ts'

/** Where a request comes from, and by what. `network` is what limits count its address by. */
export type From = { readonly address: string; readonly network: string; readonly userAgent: string | null }

/** What a browser goes on with: the access token in the body, the refresh token in a cookie. */
export type Tokens = { readonly accessToken: string; readonly expiresIn: number; readonly cookie: string }

/** Whom the log of security events names. */
export const actorOf = (accountId: string): string => encodeId('usr', accountId)

/** A session that is yet to be written, and its first refresh token. */
export const draftSession = (
  context: Pick<AccountContext, 'clock' | 'random'>,
  accountId: string,
  { address, network, userAgent }: From,
): [NewSession, RefreshToken] => {
  const id = uuidv7(context.clock.now(), context.random)
  const token = makeRefreshToken(id, context.random)
  return [{ id, tokenHash: token.hash, actor: actorOf(accountId), address, network, userAgent }, token]
}

/** `at` is the database's time. */
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

/** For whoever has just shown in another way that the account is theirs. */
export const openSession = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'random' | 'keyring' | 'settings'>,
  accountId: string,
  from: From,
): Promise<Tokens> => {
  const [session, token] = draftSession(context, accountId, from)
  const at = await insertSession(context.sql, accountId, session)
  return issueTokens(context, accountId, token, at ?? context.clock.now())
}

/** Gives a new pair of tokens for a refresh token; one that has been used before ends its session. */
export const refreshSession = async (
  context: Pick<AccountContext, 'sql' | 'keyring' | 'sessions' | 'settings'>,
  shownText: string,
  { address }: From,
): Promise<Tokens> => {
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
  // Its twin may have got a successor under the secret key before this one.
  const current = successors.find(({ hash }) => Buffer.compare(hash, current_hash) === 0)
  // Or under one that is yet to be given to this process.
  if (!current) return refuse('service_unavailable', { retryAfter: 1 })
  return issueTokens(context, account, current, now)
}

/** Whose session a refresh token is of, without using it up. */
export const findByRefreshToken = async (context: Pick<AccountContext, 'sql'>, text: string) => {
  const token = parseRefreshToken(text)
  const accountId = token && (await findSessionByToken(context.sql, token.sessionId, token.hash))
  return accountId ? { sessionId: token.sessionId, accountId } : undefined
}

/** Ends the session, or all of the account's. */
export const signOut = async (
  context: Pick<AccountContext, 'sql' | 'sessions'>,
  { sessionId, accountId }: { sessionId: string; accountId: string },
  everywhere: boolean,
  { address }: From,
): Promise<void> => {
  await endSessions(
    context.sql,
    { accountId, only: everywhere ? null : sessionId },
    { actor: actorOf(accountId), address },
  )
  if (everywhere) context.sessions.forgetAccount(accountId)
  else context.sessions.forget(sessionId)
}

/** Ends one of one's own sessions; another's is missing. */
export const endSession = async (
  context: Pick<AccountContext, 'sql' | 'sessions'>,
  accountId: string,
  sessionId: string,
  { address }: From,
): Promise<void> => {
  const ended = await endSessions(context.sql, { accountId, only: sessionId }, { actor: actorOf(accountId), address })
  if (ended === 0) refuse('resource_not_found')
  context.sessions.forget(sessionId)
}
