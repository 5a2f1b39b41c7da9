import { type Type, type } from 'arktype'
import type { KeyCaller } from '../access/key-cache.ts'
import type { SessionCaller } from '../access/session-cache.ts'
import { encodeId } from '../ids.ts'
import { lazy } from '../lazy.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import type { Scope } from '../resources.ts'
import type { Api } from './api.ts'
import { causeOfRequest } from './causes.ts'
import type { Docs } from './docs/docs.ts'
import { livemodeQuery } from './list.ts'
import {
  type Answer,
  type Call,
  type Declared,
  define,
  type MemberCaller,
  type Method,
  type Parsed,
  type Route,
} from './route.ts'

/**
 * An operation for API keys and members is one handler with two paths: `/v1/…` for API keys and
 * `/v1/merchants/:merchantId/…` for members. Reading requires the role viewer, everything else the role developer.
 */
export type Surface<Path extends string, Body, Query, Mode> = Call<Path, Parsed<Body>, Parsed<Query>> & {
  /** The path of the route, as declared. */
  readonly pattern: string
  /** The merchant and mode whose objects the caller can see. */
  readonly owner: Omit<ListOwner, 'livemode'> & { readonly livemode: Mode }
  /** The caller and the request, for the history. */
  readonly cause: string
  /** One of the two. */
  readonly key?: KeyCaller
  readonly member?: MemberCaller
}

type Spec<Path extends string, Body, Query, Mode> = {
  /** Below `/v1`. */
  readonly path: Path
  readonly body?: Body
  readonly query?: Query
  /** Additional query parameters for members. */
  readonly membersQuery?: () => Type
  readonly docs?: Docs
  readonly handle: (api: Api, call: Surface<Path, Body, Query, Mode>) => Answer | Promise<Answer>
}

type Needs = { readonly scope: Scope; readonly testOnly?: true }

/** Lists and creations: the mode is that of the key, or of `?livemode=` for a member. */
export const onCollection = <
  Path extends string,
  Body extends Declared = undefined,
  Query extends Declared = undefined,
>(
  method: Method,
  needs: Needs,
  spec: Spec<Path, Body, Query, boolean>,
): readonly Route[] => {
  const query: () => Type = spec.query ?? nothing
  const more: () => Type = spec.membersQuery ?? nothing
  const membersQuery = () => query().and(more()).and(livemodeQuery())
  return bothSurfaces(method, needs, spec, membersQuery, query => query?.livemode === true)
}

/** Operations on one object: a member can find it by its ID in either mode. */
export const onItem = <Path extends string, Body extends Declared = undefined, Query extends Declared = undefined>(
  method: Method,
  needs: Needs,
  spec: Spec<Path, Body, Query, boolean | undefined>,
): readonly Route[] => bothSurfaces(method, needs, spec, spec.query, () => undefined)

const nothing = () => type({})

type Caller =
  | { readonly key: KeyCaller; readonly member?: undefined }
  | { readonly key?: undefined; readonly session: SessionCaller; readonly member: MemberCaller }
type AnyCall = Call<string, never, never> & Caller
type MembersQuery = { readonly livemode?: boolean } | undefined

const bothSurfaces = <Path extends string, Body extends Declared, Query extends Declared, Mode>(
  method: Method,
  { scope, testOnly }: Needs,
  { path, body, query, docs, handle }: Spec<Path, Body, Query, Mode>,
  membersQuery: Declared,
  modeOf: (query: MembersQuery) => boolean | undefined,
): readonly Route[] => {
  // One type for both paths.
  const sent = body && lazy(body)
  const route = (prefix: string, access: Route['access'], routeQuery: Declared): Route => {
    const pattern = `${prefix}${path}`
    const handleSurface = (api: Api, call: AnyCall) => {
      const { params, body, query, headers, requestId, key, member } = call
      const { owner, sender } = callerOf(call, modeOf)
      const cause = causeOfRequest(sender, requestId)
      return handle(api, { params, body, query, headers, requestId, key, member, pattern, owner, cause } as never)
    }
    return define(method, access, { path: pattern, body: sent, query: routeQuery, docs, handle: handleSurface })
  }
  return [
    route('/v1', { by: 'key', scope, ...(testOnly && { testOnly }) }, query),
    route(
      '/v1/merchants/:merchantId',
      { by: 'member', role: scope.endsWith(':read') ? 'viewer' : 'developer' },
      membersQuery,
    ),
  ]
}

const callerOf = (call: AnyCall, modeOf: (query: MembersQuery) => boolean | undefined) => {
  if (call.key) return keyCallerOf(call.key)
  const { member, session, query } = call
  return {
    owner: { merchantId: member.merchantId, livemode: modeOf(query) },
    sender: encodeId('usr', session.accountId),
  }
}

/** A key is cached for a second, and can make thousands of requests in this time. */
const keyCallerOf = (key: KeyCaller): KeyedCaller => {
  const known = keyCallers.get(key)
  if (known) return known
  const { id, merchantId, livemode } = key
  const made = { owner: { merchantId, livemode }, sender: encodeId('key', id) }
  keyCallers.set(key, made)
  return made
}

type KeyedCaller = { readonly owner: ListOwner; readonly sender: string }
const keyCallers = new WeakMap<KeyCaller, KeyedCaller>()
