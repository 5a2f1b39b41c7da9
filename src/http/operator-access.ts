import type { SessionCaller } from '../access/session-cache.ts'
import { refuse } from '../errors.ts'
import { isLoopback, isLoopbackHost } from './address.ts'
import type { Api } from './api.ts'
import { isFromThisMachine } from './local-request.ts'
import { addressOf, type Visit } from './visit.ts'

/** Requires the session of an operator, with a second factor unless the server is only reachable from this machine. */
export const requireOperator = (api: Api, session: SessionCaller, visit: Visit): void => {
  if (!session.isOperator) refuse('insufficient_role')
  if (!session.hasSecondFactor && !isLocal(api, visit)) refuse('second_factor_required')
}

/** `HOST`: a server that listens on other addresses can be reached through a tunnel or a bridge of containers. */
const isLocal = (api: Api, visit: Visit): boolean => {
  const { host } = api.settings
  const listensHere = isLoopback(host) || isLoopbackHost(host)
  return listensHere && isFromThisMachine(api.settings, addressOf(visit, api), visit.headers)
}
