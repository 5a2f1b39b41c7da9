import type { SessionCaller } from '../access/session-cache.ts'
import { refuse } from '../errors.ts'
import type { Api } from './api.ts'

/** The session of the access token. */
export const findSession = async (api: Api, headers: Headers): Promise<SessionCaller> => {
  const token = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (token === undefined) return refuse('invalid_token')
  return (await api.sessions.find(token))?.session ?? refuse('invalid_token')
}
