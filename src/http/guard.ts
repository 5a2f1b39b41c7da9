import type { KeyCaller } from '../access/key-cache.ts'
import type { SessionCaller } from '../access/session-cache.ts'
import { Refusal, refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import type { Role } from '../queries/members.ts'
import type { TicketHolder } from '../queries/ops/tickets.ts'
import { isGranted } from '../resources.ts'
import { isLoopback, limitGroup } from './address.ts'
import type { Api } from './api.ts'
import { type Left, leftField, type Now, openBuckets, policyField, type RateLimit } from './limits.ts'
import { requireOperator } from './operator-access.ts'
import type { Access, MemberCaller } from './route.ts'
import { findSession } from './session.ts'
import { requireStepUp } from './step-up.ts'
import { findTicketHolder } from './ticket-access.ts'
import { addressOf, type Visit } from './visit.ts'

export type Caller = {
  readonly key?: KeyCaller
  readonly session?: SessionCaller
  readonly member?: MemberCaller
  readonly holder?: TicketHolder
}

export type Guard = (access: Access, visit: Visit) => Caller | Promise<Caller>

/** Limit for requests with wrong credentials, by IP address. */
const WRONG: RateLimit = { name: 'unauthenticated', burst: 30, perSecond: 0.5 }
/** A higher limit for loopback, which is usually a proxy that is not in TRUSTED_PROXIES: all its callers share one address. */
const WRONG_HERE: RateLimit = { ...WRONG, burst: 5_000, perSecond: 100 }

const VERSIONS: readonly string[] = ['2026-11-20']

/** Authenticates and authorizes callers, in the documented order of checks, before the body is read. */
export const openGuard = (api: Api, now?: Now): Guard => {
  const wrong = openRate(WRONG, now)
  const wrongHere = openRate(WRONG_HERE, now)
  const { apiRateLimit, checkoutRateLimit } = api.settings
  const checkout = openCallerRate('checkout', checkoutRateLimit, now)
  const live = openCallerRate('live', apiRateLimit.live, now)
  const test = openCallerRate('test', apiRateLimit.test, now)
  const sessions = openCallerRate('session', apiRateLimit.live, now)

  const requireFewWrong = (visit: Visit): void => {
    if (wrong.areFull() && wrongHere.areFull()) return
    const rate = wrongOf(visit)
    const left = rate.look(limitGroup(addressOf(visit, api)))
    if (!left.allowed) rate.setFieldsAndRefuse(left, visit)
  }

  const wrongOf = (visit: Visit) => (isLoopback(addressOf(visit, api)) ? wrongHere : wrong)

  /** Counted again after the check: parallel requests pass the first look before any of them is known to be wrong. */
  const countWrong = (visit: Visit, error: unknown): never => {
    if (error instanceof Refusal && error.status === 401) {
      const rate = wrongOf(visit)
      const taken = rate.take(limitGroup(addressOf(visit, api)))
      if (!taken.allowed) rate.setFieldsAndRefuse(taken, visit)
    }
    throw error
  }

  const admitKey = (access: KeyAccess, visit: Visit, found: KeyCaller | undefined): Caller => {
    if (!found) return countWrong(visit, new Refusal('invalid_api_key'))
    const rate = found.livemode ? live : test
    const apiVersion = versionOf(found, visit)
    if (apiVersion === undefined) {
      // Not counted, but the response has the rate limit fields.
      rate?.setFields(rate.look(found.id), visit)
      return refuse('invalid_api_version', { param: 'Service-Version' })
    }
    const key = apiVersion === found.apiVersion ? found : { ...found, apiVersion }
    rate?.count(found.id, visit)
    if (!isGranted(key.scopes, access.scope)) refuse('insufficient_scope')
    if (access.testOnly && key.livemode) refuse('sandbox_only')
    return { key }
  }

  /** The key is nearly always cached, so there is no `await`. */
  const guardKey = (access: KeyAccess, visit: Visit): Caller | Promise<Caller> => {
    requireFewWrong(visit)
    const authorization = visit.headers.get('authorization') ?? ''
    if (!authorization.startsWith('Bearer sk_')) return countWrong(visit, new Refusal('missing_api_key'))
    const found = api.keys.find(authorization.slice('Bearer '.length))
    if (!(found instanceof Promise)) return admitKey(access, visit, found)
    // Read before the connection can be closed: the address is not available afterwards.
    addressOf(visit, api)
    return found.then(found => admitKey(access, visit, found))
  }

  const guardSession = async (access: SessionAccess, visit: Visit): Promise<Caller> => {
    requireFewWrong(visit)
    const session = await findSession(api, visit.headers).catch(error => countWrong(visit, error))
    // By account, because a person can open a hundred sessions.
    sessions?.count(session.accountId, visit)
    if (access.by === 'session') return { session }
    if (access.by === 'operator') {
      requireOperator(api, session, visit)
      if (access.stepUp) await requireStepUp(api, { session, headers: visit.headers })
      return { session }
    }
    const member = await findMember(api, session, visit.params.merchantId ?? '')
    if (ranks.indexOf(member.role) < ranks.indexOf(access.role)) refuse('insufficient_role')
    if (access.stepUp) await requireStepUp(api, { session, headers: visit.headers })
    return { session, member }
  }

  const guardTicket = async (visit: Visit): Promise<Caller> => {
    requireFewWrong(visit)
    const holder = await findTicketHolder(api, visit).catch(error => countWrong(visit, error))
    sessions?.count(holder.accountId, visit)
    return { holder }
  }

  return (access, visit) => {
    if (access.by === 'key') return guardKey(access, visit)
    if (access.by === 'ticket') return guardTicket(visit)
    if (access.by !== 'anybody') return guardSession(access, visit)
    if (access.checkout) checkout?.count(limitGroup(addressOf(visit, api)), visit)
    return {}
  }
}

type KeyAccess = Extract<Access, { by: 'key' }>
type SessionAccess = Extract<Access, { by: 'session' | 'member' | 'operator' }>

const ranks: readonly Role[] = ['viewer', 'developer', 'owner']

/** Counts requests against a limit, and sets the rate limit fields of their responses. */
const openRate = (limit: RateLimit, now: Now | undefined) => {
  const buckets = openBuckets(limit, now)
  const policy = policyField(limit)
  const setFields = (left: Left, { answerHeaders }: Visit): void => {
    answerHeaders['ratelimit-policy'] = policy
    answerHeaders.ratelimit = leftField(limit, left)
  }
  const setFieldsAndRefuse = (left: Left, visit: Visit): never => {
    setFields(left, visit)
    return refuse('rate_limited', { retryAfter: left.resetS })
  }
  /** Counts a request, and sets the fields on its response. */
  const count = (subject: string, visit: Visit): void => {
    const left = buckets.take(subject)
    if (!left.allowed) setFieldsAndRefuse(left, visit)
    setFields(left, visit)
  }
  return { ...buckets, setFields, setFieldsAndRefuse, count }
}

/** A limit for authenticated callers, whose responses always have the fields. */
const openCallerRate = (name: string, perSecond: number, now: Now | undefined) =>
  perSecond === 0 ? undefined : openRate({ name, burst: 2 * perSecond, perSecond }, now)

/** The merchant of the path. For non-members it does not exist. */
const findMember = async (api: Api, session: SessionCaller, id: string): Promise<MemberCaller> => {
  const merchantId = decodeId('mer', id)
  const role = merchantId && (await api.sessions.roleIn(session.accountId, merchantId))
  return merchantId && role ? { merchantId, role } : refuse('resource_not_found')
}

/** The version of the request header, or else that of the key. */
const versionOf = (key: KeyCaller, { headers, answerHeaders }: Visit): string | undefined => {
  const version = headers.get('service-version') ?? key.apiVersion
  if (!VERSIONS.includes(version)) return undefined
  answerHeaders['service-version'] = version
  return version
}
