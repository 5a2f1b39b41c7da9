import { inTurn } from './windows.js'

/** The signed-in account. The access token is only in this variable: not in storage, and not in a URL. */
let token
let who

export const account = () => who

/** An error response, or no response at all: `unreachable`. */
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
    throw new Refused('unreachable', { message: 'The server cannot be reached. Try again in a moment.' })
  }
  if (answer.ok) return body
  const { code = 'unreachable', ...error } = body?.error ?? {}
  throw new Refused(code, { ...error, status: answer.status, retryAfter: answer.headers.get('retry-after') })
}

/** Whether the browser has a session. The cookie is not readable here, and a refresh without it logs an error in the console. */
export const hasSession = async () => (await send('GET', '/v1/auth/session')).signedIn

let refreshing

/** Gets a new access token with the refresh cookie. Rejects if there is no session. */
export const refresh = () => {
  // A second caller shares the refresh that is in progress.
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

/** Events of the window: the session has ended, or another account has signed in. */
export const SIGNED_OUT = 'paymachine:signed-out'
export const CHANGED = 'paymachine:changed'

const renew = async () => {
  token = undefined
  const { accessToken } = await send('POST', '/v1/auth/refresh')
  const before = who?.user.id
  who = await send('GET', '/v1/auth/me', { bearer: accessToken })
  token = accessToken
  // Another account has signed in, in another window.
  if (before && before !== who.user.id) window.dispatchEvent(new Event(CHANGED))
}

/** Calls the API, with a new access token if the current one has expired. */
export const call = async (method, path, json) => {
  if (!token) await refresh()
  const bearer = token
  try {
    return await send(method, path, { json, bearer })
  } catch (error) {
    if (error.code !== 'invalid_token') throw error
    // Unless another call has already refreshed it.
    if (token === bearer || !token) await refresh()
    return send(method, path, { json, bearer: token })
  }
}

export const signIn = async given => {
  const { accessToken, user, merchants } = await send('POST', '/v1/auth/sign-in', { json: given })
  token = accessToken
  who = { user, merchants }
}

/** The window forgets the account even if the request fails. */
export const signOut = async () => {
  const bearer = token
  token = undefined
  who = undefined
  await send('POST', '/v1/auth/sign-out', { json: {}, bearer })
}
