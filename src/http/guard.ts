import { Refusal, refuse } from '../errors.ts'
import { decodeId } from '../ids.ts'
import { isLoopback, limitGroup } from './address.ts'
import type { Api } from './api.ts'
import { type Left, type Limit, limitFields, type Now, openBuckets } from './limits.ts'
import type { Access, KeyCaller, MemberCaller, Role, SessionCaller } from './route.ts'
import { findSession } from './session.ts'
import { requireStepUp } from './step-up.ts'

export type Visit = {
  readonly headers: Headers
  readonly params: Readonly<Record<string, string>>
  /** Asked for only where it matters: finding it out costs a question to the system. */
  readonly address: () => string
  /** Of the answer, whatever it will be. */
  readonly answerHeaders: Record<string, string>
}

export type Caller = { readonly key?: KeyCaller; readonly session?: SessionCaller; readonly member?: MemberCaller }

export type Guard = (access: Access, visit: Visit) => Caller | Promise<Caller>

/** Who knocks too often with no key that fits is not listened to for a while. */
const WRONG: Limit = { name: 'unauthenticated', burst: 30, perSecond: 0.5 }
/** Loopback is a proxy that TRUSTED_PROXIES does not name, more often than one caller: all would wait for each other. */
const WRONG_HERE: Limit = { ...WRONG, burst: 5_000, perSecond: 100 }

const VERSIONS: readonly string[] = ['2026-11-20']

/** Decides who may come in, by the order of checks of the interface: all of it before anything of the body is read. */
export const openGuard = (api: Api, now?: Now): Guard => {
  const wrong = openBuckets(WRONG, now)
  const wrongHere = openBuckets(WRONG_HERE, now)
  const { live, test } = api.settings.apiRateLimit
  const checkout = openRate('checkout', api.settings.checkoutRateLimit, now)
  const rates = { live: openRate('live', live, now), test: openRate('test', test, now) }

  const requireFewWrong = (visit: Visit): void => {
    if (wrong.areFull() && wrongHere.areFull()) return
    const { limit, buckets } = wrongOf(visit)
    const left = buckets.look(limitGroup(visit.address()))
    if (!left.allowed) admit(limit, left, visit)
  }

  const wrongOf = (visit: Visit) =>
    isLoopback(visit.address()) ? { limit: WRONG_HERE, buckets: wrongHere } : { limit: WRONG, buckets: wrong }

  /** Many at once are looked at before the first of them is known to be wrong: none learns more than its share. */
  const countWrong = (visit: Visit, error: unknown): never => {
    if (error instanceof Refusal && error.status === 401) {
      const { limit, buckets } = wrongOf(visit)
      const taken = buckets.take(limitGroup(visit.address()))
      if (!taken.allowed) admit(limit, taken, visit)
    }
    throw error
  }

  const admitKey = (access: KeyAccess, visit: Visit, found: KeyCaller | undefined): Caller => {
    if (!found) return countWrong(visit, new Refusal('invalid_api_key'))
    const rate = rates[found.livemode ? 'live' : 'test']
    const apiVersion = versionOf(found, visit)
    if (apiVersion === undefined) {
      // Costs nothing, and the fields are there all the same.
      rate?.show(found.id, visit)
      return refuse('invalid_api_version', { param: 'Service-Version' })
    }
    const key = apiVersion === found.apiVersion ? found : { ...found, apiVersion }
    rate?.count(found.id, visit)
    if (!key.scopes.includes('*') && !key.scopes.includes(access.scope)) refuse('insufficient_scope')
    if (access.testOnly && key.livemode) refuse('sandbox_only')
    return { key }
  }

  /** Nearly always the key is known, and nobody has to wait. */
  const guardKey = (access: KeyAccess, visit: Visit): Caller | Promise<Caller> => {
    requireFewWrong(visit)
    const authorization = visit.headers.get('authorization') ?? ''
    if (!authorization.startsWith('Bearer sk_')) return countWrong(visit, new Refusal('missing_api_key'))
    const found = api.keys.find(authorization.slice('Bearer '.length))
    if (!(found instanceof Promise)) return admitKey(access, visit, found)
    // While the caller is still there to be asked.
    visit.address()
    return found.then(found => admitKey(access, visit, found))
  }

  const guardSession = async (access: SessionAccess, visit: Visit): Promise<Caller> => {
    requireFewWrong(visit)
    const session = await findSession(api, visit.headers).catch(error => countWrong(visit, error))
    if (access.by === 'session') return { session }
    const member = await findMember(api, session, visit.params.merchantId ?? '')
    if (ranks.indexOf(member.role) < ranks.indexOf(access.role)) refuse('insufficient_role')
    if (access.stepUp) await requireStepUp(api, { session, headers: visit.headers })
    return { session, member }
  }

  return (access, visit) => {
    if (access.by === 'key') return guardKey(access, visit)
    if (access.by !== 'anybody') return guardSession(access, visit)
    if (access.checkout) checkout?.count(limitGroup(visit.address()), visit)
    return {}
  }
}

type KeyAccess = Extract<Access, { by: 'key' }>
type SessionAccess = Extract<Access, { by: 'session' | 'member' }>

const ranks: readonly Role[] = ['viewer', 'developer', 'owner']

/** Counts a request against its caller's limit; the fields are on every answer to a caller who is known. */
const openRate = (name: string, perSecond: number, now: Now | undefined) => {
  if (perSecond === 0) return undefined
  const limit: Limit = { name, burst: 2 * perSecond, perSecond }
  const buckets = openBuckets(limit, now)
  return {
    show: (id: string, visit: Visit) => setFields(visit, limit, buckets.look(id)),
    count: (id: string, visit: Visit) => admit(limit, buckets.take(id), visit),
  }
}

const admit = (limit: Limit, left: Left, visit: Visit): void => {
  setFields(visit, limit, left)
  if (!left.allowed) refuse('rate_limited', { retryAfter: left.resetS })
}

const setFields = ({ answerHeaders }: Visit, limit: Limit, left: Left): void => {
  Object.assign(answerHeaders, limitFields(limit, left))
}

/** The merchant of the path, which is there for its members only. */
const findMember = async (api: Api, session: SessionCaller, id: string): Promise<MemberCaller> => {
  const merchantId = decodeId('mer', id)
  const role = merchantId && (await api.sessions.roleIn(session.accountId, merchantId))
  return merchantId && role ? { merchantId, role } : refuse('resource_not_found')
}

/** The caller's wish, else what the key was made with. */
const versionOf = (key: KeyCaller, { headers, answerHeaders }: Visit): string | undefined => {
  const version = headers.get('service-version') ?? key.apiVersion
  if (!VERSIONS.includes(version)) return undefined
  answerHeaders['service-version'] = version
  return version
}
