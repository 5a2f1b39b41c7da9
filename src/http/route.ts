import type { Type } from 'arktype'
import type { KeyCaller } from '../access/key-book.ts'
import type { SessionCaller } from '../access/session-book.ts'
import { once } from '../once.ts'
import type { Scope } from '../queries/api-keys.ts'
import type { Role } from '../queries/members.ts'
import type { Api } from './api.ts'
import type { Docs } from './openapi/docs.ts'

/**
 * The table of routes is data: the server serves it, the API document is made from it, and a test
 * walks it with every kind of wrong caller. A route says who may call it; the guards see to that
 * before its handler, or anything of the request's body, is looked at.
 */
export type Route = {
  readonly method: Method
  readonly path: string
  readonly access: Access
  readonly body: Type | undefined
  /** The body comes from a page's form. */
  readonly form?: true | undefined
  /** People come to it by links that others have made: what was hung on to the address is nobody's mistake here. */
  readonly page?: true | undefined
  readonly query: Type | undefined
  /** A test holds every route that is served to have them. */
  readonly docs?: Docs | undefined
  readonly handle: (api: Api, call: never) => Answer | Promise<Answer>
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type Access =
  /** Anybody; customers of a checkout, so many requests a second from an address. */
  | { readonly by: 'anybody'; readonly checkout?: true }
  /** A merchant's server, with an API key that has the scope; `*`: one that may do everything. */
  | { readonly by: 'key'; readonly scope: Scope | '*'; readonly testOnly?: true }
  /** Somebody who has signed in. */
  | { readonly by: 'session' }
  /** A member of the merchant in the path with at least this role; `stepUp`: who has proven it in the last five minutes. */
  | { readonly by: 'member'; readonly role: Role; readonly stepUp?: true }

/** What every handler is told of a request. By then all of it has been checked. */
export type Call<Path extends string = string, Body = undefined, Query = undefined> = {
  readonly params: Readonly<Record<Param<Path>, string>>
  readonly body: Body
  readonly query: Query
  readonly headers: Headers
  readonly requestId: string
}

/** Where a request comes from, as far as the trusted proxies can be believed. With a key it does not matter. */
export type From = { readonly address: string }

type Param<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Param<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

export type MemberCaller = { readonly merchantId: string; readonly role: Role }

/** Names of headers in lower case. */
export type HeaderFields = Readonly<Record<string, string>>

/** A status with a body that becomes JSON, or with one that is sent as it is. */
export type Answer = { readonly status: number; readonly body?: unknown; readonly headers?: HeaderFields } | TextAnswer

export type TextAnswer = {
  readonly status: number
  readonly text: string | Uint8Array<ArrayBuffer> | ReadableStream
  readonly headers: HeaderFields
}

/** A text that is whole. */
export type WholeText = TextAnswer & { readonly text: string }

/** What a request may send: made when it is first asked for, since to make all of them was a fifth of a start. */
export type Declared = (() => Type) | undefined

type Spec<Path extends string, Body, Query, Caller> = {
  readonly path: Path
  readonly body?: Body
  readonly form?: true
  readonly page?: true
  readonly query?: Query
  readonly docs?: Docs
  readonly handle: (api: Api, call: Call<Path, Parsed<Body>, Parsed<Query>> & Caller) => Answer | Promise<Answer>
}

/** What comes out of a type: defaults filled in, texts of a query turned into numbers. */
export type Parsed<D> = D extends () => { readonly infer: infer Value } ? Value : undefined

type Defined = Pick<Route, 'path' | 'form' | 'page' | 'docs' | 'handle'> & {
  readonly body?: Declared
  readonly query?: Declared
}

/** With its types made once, when they are first asked for. What the handler is told was parsed by them. */
export const define = (method: Method, access: Access, spec: unknown): Route => {
  const { path, body, form, page, query, docs, handle } = spec as Defined
  const madeBody = body && once(body)
  const madeQuery = query && once(query)
  return {
    method,
    path,
    access,
    get body() {
      return madeBody?.()
    },
    form,
    page,
    get query() {
      return madeQuery?.()
    },
    docs,
    handle,
  }
}

/** A route anybody may call. */
export const forAnybody = <Path extends string, Body extends Declared = undefined, Query extends Declared = undefined>(
  method: Method,
  spec: Spec<Path, Body, Query, From>,
): Route => define(method, { by: 'anybody' }, spec)

/** A route for the customers of merchants: anybody, as often as CHECKOUT_RATE_LIMIT says. */
export const forCustomers = <
  Path extends string,
  Body extends Declared = undefined,
  Query extends Declared = undefined,
>(
  method: Method,
  spec: Spec<Path, Body, Query, From>,
): Route => define(method, { by: 'anybody', checkout: true }, spec)

export const forKeys = <Path extends string, Body extends Declared = undefined, Query extends Declared = undefined>(
  method: Method,
  { scope, testOnly }: { readonly scope: Scope | '*'; readonly testOnly?: true },
  spec: Spec<Path, Body, Query, { readonly key: KeyCaller }>,
): Route => define(method, { by: 'key', scope, ...(testOnly && { testOnly }) }, spec)

export const forSessions = <Path extends string, Body extends Declared = undefined, Query extends Declared = undefined>(
  method: Method,
  spec: Spec<Path, Body, Query, From & { readonly session: SessionCaller }>,
): Route => define(method, { by: 'session' }, spec)

/** Under `/v1/merchants/:merchantId/`; whoever is no member finds no merchant there. */
export const forMembers = <
  Path extends `/v1/merchants/:merchantId${string}`,
  Body extends Declared = undefined,
  Query extends Declared = undefined,
>(
  method: Method,
  { role, stepUp }: { readonly role: Role; readonly stepUp?: true },
  spec: Spec<Path, Body, Query, From & { readonly session: SessionCaller; readonly member: MemberCaller }>,
): Route => define(method, { by: 'member', role, ...(stepUp && { stepUp }) }, spec)
