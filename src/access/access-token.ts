import { errors, jwtVerify, SignJWT } from 'jose'
import type { Keyring } from '../keyring.ts'

/** The contents of an access token: the account and the session. Everything else is read from the database. */
export type AccessClaims = { readonly accountId: string; readonly sessionId: string }

export const ACCESS_SECONDS = 15 * 60

const issuer = 'paymachine'
const audience = 'paymachine/v1'

export const signAccessToken = (
  keyring: Keyring,
  { accountId, sessionId }: AccessClaims,
  at: Date,
): Promise<string> => {
  const { current } = keyring.signing('access')
  const seconds = Math.floor(at.getTime() / 1000)
  return new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: current.id })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(accountId)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ACCESS_SECONDS)
    .sign(current.key)
}

/** Returns undefined for a token that this service has not signed. The caller checks the expiry. */
export const readAccessToken = async (
  keyring: Keyring,
  token: string,
): Promise<(AccessClaims & { readonly expiresAt: Date }) | undefined> => {
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => keyOf(keyring, kid), {
      // The token's header must not choose the algorithm, or none at all.
      algorithms: ['HS256'],
      typ: 'JWT',
      issuer,
      audience,
      requiredClaims: ['sub', 'sid', 'exp'],
      currentDate: new Date(0),
    })
    const { sub, sid, exp } = payload
    if (typeof sub !== 'string' || typeof sid !== 'string' || typeof exp !== 'number') return undefined
    return { accountId: sub, sessionId: sid, expiresAt: new Date(exp * 1000) }
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

const keyOf = (keyring: Keyring, kid: string | undefined): Uint8Array => {
  const known = keyring.signing('access').all.find(({ id }) => id === kid)
  if (!known) throw new errors.JWKSNoMatchingKey()
  return known.key
}
