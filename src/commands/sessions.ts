import { ACCESS_SECONDS, signAccessToken } from '../access/access-token.ts'
import { writeRefreshCookie } from '../access/refresh-cookie.ts'
import { makeRefreshToken, parseRefreshToken, type RefreshToken, successorsOf } from '../access/refresh-token.ts'
import { refuse } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import {
  endSessions,
  findSessionByToken,
  openSession as insertSession,
  type NewSession,
  rotateSession,
} from '../queries/sessions.ts'

/** Where a request comes from, and by what. `network` is what limits count its address by. */
export type From = { readonly address: string; readonly network: string; readonly userAgent: string | null }

/** What a browser goes on with: the access token in the body, the refresh token in a cookie. */
export type Tokens = { readonly accessToken: string; readonly expiresIn: number; readonly cookie: string }

/** Whom the log of security events names. */
export const actorOf = (accountId: string): string => encodeId('usr', accountId)

/** A session that is yet to be written, and its first refresh token. */
export const draftSession = (
  api: Api,
  accountId: string,
  { address, network, userAgent }: From,
): [NewSession, RefreshToken] => {
  const id = uuidv7(api.clock.now(), api.random)
  const token = makeRefreshToken(id, api.random)
  return [{ id, tokenHash: token.hash, actor: actorOf(accountId), address, network, userAgent }, token]
}

/** `at` is the database's time. */
export const issueTokens = async (api: Api, accountId: string, token: RefreshToken, at: Date): Promise<Tokens> => ({
  accessToken: await signAccessToken(api.keyring, { accountId, sessionId: token.sessionId }, at),
  expiresIn: ACCESS_SECONDS,
  cookie: writeRefreshCookie(api.settings.publicUrl, token.text),
})

/** For whoever has just shown in another way that the account is theirs. */
export const openSession = async (api: Api, accountId: string, from: From): Promise<Tokens> => {
  const [session, token] = draftSession(api, accountId, from)
  const at = await insertSession(api.sql, accountId, session)
  return issueTokens(api, accountId, token, at ?? api.clock.now())
}

/** Gives a new pair of tokens for a refresh token; one that has been used before ends its session. */
export const refreshSession = async (api: Api, shownText: string, { address }: From): Promise<Tokens> => {
  const shown = parseRefreshToken(shownText) ?? refuse('invalid_token')
  const { sessionId } = shown
  const successors = successorsOf(api.keyring, shown)
  const [successor] = successors
  if (!successor) throw new Error('cannot refresh a session: the keyring has no key')
  const rotated = await rotateSession(api.sql, { sessionId, shown: shown.hash, successor: successor.hash, address })
  if (rotated?.outcome !== 'rotated' || !rotated.account || !rotated.current_hash) {
    api.sessions.forget(sessionId)
    return refuse('invalid_token')
  }
  const { account, current_hash, now } = rotated
  // Its twin may have got a successor under the secret key before this one.
  const current = successors.find(({ hash }) => Buffer.compare(hash, current_hash) === 0)
  // Or under one that is yet to be given to this process.
  if (!current) return refuse('service_unavailable', { retryAfter: 1 })
  return issueTokens(api, account, current, now)
}

/** Whose session a refresh token is of, without using it up. */
export const findByRefreshToken = async (api: Api, text: string) => {
  const token = parseRefreshToken(text)
  const accountId = token && (await findSessionByToken(api.sql, token.sessionId, token.hash))
  return accountId ? { sessionId: token.sessionId, accountId } : undefined
}

/** Ends the session, or all of the account's. */
export const signOut = async (
  api: Api,
  { sessionId, accountId }: { sessionId: string; accountId: string },
  everywhere: boolean,
  { address }: From,
): Promise<void> => {
  await endSessions(api.sql, { accountId, only: everywhere ? null : sessionId }, { actor: actorOf(accountId), address })
  if (everywhere) api.sessions.forgetAccount(accountId)
  else api.sessions.forget(sessionId)
}

/** Ends one of one's own sessions; another's is missing. */
export const endSession = async (api: Api, accountId: string, sessionId: string, { address }: From): Promise<void> => {
  const ended = await endSessions(api.sql, { accountId, only: sessionId }, { actor: actorOf(accountId), address })
  if (ended === 0) refuse('resource_not_found')
  api.sessions.forget(sessionId)
}
