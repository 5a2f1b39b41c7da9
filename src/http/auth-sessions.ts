import { type } from 'arktype'
import { clearRefreshCookie, isCrossSite, readRefreshCookie } from '../access/refresh-cookie.ts'
import { endSession, findByRefreshToken, refreshSession, signOut } from '../commands/sessions.ts'
import { refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { listSessions } from '../queries/sessions.ts'
import { sessionRecord } from '../records/session.ts'
import type { Api } from './api.ts'
import { endSessionDocs, findOwnSessionDocs, listSessionsDocs, refreshDocs, signOutDocs } from './docs/auth.ts'
import { fromOf } from './from.ts'
import { forAnybody, forSessions, type Route } from './route.ts'
import { answerSignedIn } from './signed-in.ts'

/** The refresh token, unless the request comes from a page of another origin. */
const readCookie = ({ settings: { publicUrl } }: Api, headers: Headers): string => {
  const token = readRefreshCookie(publicUrl, headers)
  return token === undefined || isCrossSite(publicUrl, headers) ? refuse('invalid_token') : token
}

/** The session of the access token, or of the cookie if the token is missing or has expired. */
const findCaller = async (api: Api, headers: Headers) => {
  const bearer = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  const found = bearer === undefined ? undefined : await api.sessions.find(bearer)
  return found?.session ?? (await findByRefreshToken(api, readCookie(api, headers))) ?? refuse('invalid_token')
}

export const authSessionRoutes: readonly Route[] = [
  forAnybody('GET', {
    path: '/v1/auth/session',
    docs: findOwnSessionDocs,
    handle: async (api, { headers }) => {
      const token = isCrossSite(api.settings.publicUrl, headers)
        ? undefined
        : readRefreshCookie(api.settings.publicUrl, headers)
      const found = token === undefined ? undefined : await findByRefreshToken(api, token)
      return { status: 200, body: { signedIn: found !== undefined } }
    },
  }),

  forAnybody('POST', {
    path: '/v1/auth/refresh',
    docs: refreshDocs,
    handle: async (api, call) => {
      const { accountId, ...tokens } = await refreshSession(api, readCookie(api, call.headers), fromOf(call))
      return answerSignedIn(api, 200, accountId, tokens)
    },
  }),

  forAnybody('POST', {
    path: '/v1/auth/sign-out',
    docs: signOutDocs,
    body: () => type({ 'everywhere?': 'boolean' }),
    handle: async (api, call) => {
      const caller = await findCaller(api, call.headers)
      await signOut(api, caller, call.body.everywhere ?? false, fromOf(call))
      return { status: 204, headers: { 'set-cookie': clearRefreshCookie(api.settings.publicUrl) } }
    },
  }),

  forSessions('GET', {
    path: '/v1/auth/sessions',
    docs: listSessionsDocs,
    handle: async ({ sql }, { session: { accountId, sessionId } }) => {
      const sessions = await listSessions(sql, accountId)
      return {
        status: 200,
        body: {
          object: 'list',
          data: sessions.map(each => sessionRecord.render(each, { currentId: sessionId })),
          has_more: false,
        },
      }
    },
  }),

  forSessions('DELETE', {
    path: '/v1/auth/sessions/:id',
    docs: endSessionDocs,
    handle: async (api, call) => {
      const id = decodeId('session', call.params.id) ?? refuse('resource_not_found')
      await endSession(api, call.session.accountId, id, fromOf(call))
      return { status: 204 }
    },
  }),
]
