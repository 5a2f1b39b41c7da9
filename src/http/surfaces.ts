import { type Type, type } from 'arktype'
import type { KeyCaller } from '../access/key-book.ts'
import type { SessionCaller } from '../access/session-book.ts'
import { encodeId } from '../ids.ts'
import { once } from '../once.ts'
import type { Scope } from '../queries/api-keys.ts'
import type { Whose } from '../queries/places.ts'
import type { Api } from './api.ts'
import { livemodeQuery } from './list.ts'
import type { Docs } from './openapi/docs.ts'
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
 * What a merchant's server and the people of the merchant do alike is one handler at two paths: `/v1/…`
 * for keys and `/v1/merchants/:merchantId/…` for members. Who may read with a key may as a viewer,
 * everything else takes a developer.
 */
export type Surface<Path extends string, Body, Query, Mode> = Call<Path, Parsed<Body>, Parsed<Query>> & {
  /** The route's path as it is declared. */
  readonly pattern: string
  /** Whose records the caller may see. */
  readonly whose: Omit<Whose, 'livemode'> & { readonly livemode: Mode }
  /** The caller's id on the wire, for the history. */
  readonly cause: string
  /** One of these two. */
  readonly key?: KeyCaller
  readonly member?: MemberCaller
}

type Spec<Path extends string, Body, Query, Mode> = {
  /** Below `/v1`. */
  readonly path: Path
  readonly body?: Body
  readonly query?: Query
  /** What members may ask for besides. */
  readonly membersQuery?: () => Type
  readonly docs?: Docs
  readonly handle: (api: Api, call: Surface<Path, Body, Query, Mode>) => Answer | Promise<Answer>
}

type Needs = { readonly scope: Scope; readonly testOnly?: true }

/** Lists and creations: a key has a mode, a member says `?livemode=`. */
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

/** What is done with one record: a member finds it by its id, in either mode. */
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
  // One for both.
  const sent = body && once(body)
  const route = (prefix: string, access: Route['access'], routeQuery: Declared): Route => {
    const pattern = `${prefix}${path}`
    const handleSurface = (api: Api, call: AnyCall) => {
      const { params, body, query, headers, requestId, key, member } = call
      const { whose, cause } = callerOf(call, modeOf)
      return handle(api, { params, body, query, headers, requestId, key, member, pattern, whose, cause } as never)
    }
    return define(method, access, { path: pattern, body: sent, query: routeQuery, docs, handle: handleSurface })
  }
  return [
    route('/v1', { by: 'key', scope, ...(testOnly && { testOnly }) }, query),
    route(
      '/v1/merchants/:merchantId',
      { by: 'member', role: scope === 'payments:read' ? 'viewer' : 'developer' },
      membersQuery,
    ),
  ]
}

const callerOf = (call: AnyCall, modeOf: (query: MembersQuery) => boolean | undefined) => {
  if (call.key) return keyCallerOf(call.key)
  const { member, session, query } = call
  return {
    whose: { merchantId: member.merchantId, livemode: modeOf(query) },
    cause: encodeId('usr', session.accountId),
  }
}

/** A key is known for a second, and asks thousands of times in it. */
const keyCallerOf = (key: KeyCaller): KeyedCaller => {
  const known = keyCallers.get(key)
  if (known) return known
  const { id, merchantId, livemode } = key
  const made = { whose: { merchantId, livemode }, cause: encodeId('key', id) }
  keyCallers.set(key, made)
  return made
}

type KeyedCaller = { readonly whose: Whose; readonly cause: string }
const keyCallers = new WeakMap<KeyCaller, KeyedCaller>()
