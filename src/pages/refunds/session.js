import { inTurn } from './windows.js'

/** Who is signed in. The access token is in this variable and nowhere else: in no storage and in no address. */
let token
let who

export const account = () => who

/** A no of the service, or no answer at all: `unreachable`. */
export class Refused extends Error {
  constructor(code, { status = 0, message = '', param, details, retryAfter } = {}) {
    super(message)
    Object.assign(this, { code, status, param, details, retryAfter })
  }
}

const send = async (method, path, { json, bearer } = {}) => {
  let answer
  let body
  try {
    answer = await fetch(path, {
      method,
      cache: 'no-store',
      headers: {
        ...(json && { 'content-type': 'application/json' }),
        ...(bearer && { authorization: `Bearer ${bearer}` }),
      },
      ...(json && { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(20_000),
    })
    body = answer.status === 204 ? undefined : await answer.json()
  } catch {
    throw new Refused('unreachable', { message: 'The service cannot be reached.' })
  }
  if (answer.ok) return body
  const { code = 'unreachable', ...error } = body?.error ?? {}
  throw new Refused(code, { ...error, status: answer.status, retryAfter: answer.headers.get('retry-after') })
}

/** Whether the browser has a session. Its cookie cannot be read here, and a refresh without one is an error in the console. */
export const hasSession = async () => (await send('GET', '/v1/auth/session')).signedIn

let refreshing

/** A new access token for the cookie; refused where nobody is signed in. */
export const refresh = () => {
  // Whoever comes second uses the cookie that the first one has got.
  refreshing ??= inTurn('refresh', renew)
    .catch(error => {
      if (error.code === 'invalid_token') window.dispatchEvent(new Event(SIGNED_OUT))
      throw error
    })
    .finally(() => {
      refreshing = undefined
    })
  return refreshing
}

/** Happens to the window when nobody is signed in any more, or somebody else. */
export const SIGNED_OUT = 'paymachine:signed-out'
export const CHANGED = 'paymachine:changed'

const renew = async () => {
  token = undefined
  const { accessToken } = await send('POST', '/v1/auth/refresh')
  const before = who?.user.id
  who = await send('GET', '/v1/auth/me', { bearer: accessToken })
  token = accessToken
  // In another window.
  if (before && before !== who.user.id) window.dispatchEvent(new Event(CHANGED))
}

/** Asks the interface, with a new token where the one at hand is over. */
export const call = async (method, path, json) => {
  if (!token) await refresh()
  const bearer = token
  try {
    return await send(method, path, { json, bearer })
  } catch (error) {
    if (error.code !== 'invalid_token') throw error
    // Or another call is getting one already.
    if (token === bearer || !token) await refresh()
    return send(method, path, { json, bearer: token })
  }
}

export const signIn = async given => {
  const { accessToken, user, merchants } = await send('POST', '/v1/auth/sign-in', { json: given })
  token = accessToken
  who = { user, merchants }
}

/** Whatever the answer: this window knows nobody any more. */
export const signOut = async () => {
  const bearer = token
  token = undefined
  who = undefined
  await send('POST', '/v1/auth/sign-out', { json: {}, bearer })
}
