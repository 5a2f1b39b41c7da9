import type { Type } from 'arktype'
import type { KeyCaller } from '../access/key-cache.ts'
import type { SessionCaller } from '../access/session-cache.ts'
import { lazy } from '../lazy.ts'
import type { HeaderFields, TextAnswer } from '../pages/answer.ts'
import type { Role } from '../queries/members.ts'
import type { TicketHolder } from '../queries/ops/tickets.ts'
import type { Scope } from '../resources.ts'
import type { Api } from './api.ts'
import type { Docs } from './docs/docs.ts'
import type { AcceptSocket } from './sockets.ts'

/**
 * The table of routes is data: the server serves it, the API reference is generated from it, and a test calls every
 * route with all kinds of wrong credentials. A route declares its access. The guards check it before the handler runs
 * and before the body is read.
 */
export type Route = {
  readonly method: Method
  readonly path: string
  readonly access: Access
  readonly body: Type | undefined
  /** The body is sent by a form of a page. */
  readonly form?: true | undefined
  /** The body is a file. */
  readonly upload?: Upload | undefined
  /** A page for people: unknown query parameters are ignored, because other sites append them to links. */
  readonly page?: true | undefined
  readonly query: Type | undefined
  /** A test requires them for every route that is served. */
  readonly docs?: Docs | undefined
  readonly handle: (api: Api, call: never) => Answer | Promise<Answer>
}

/** The files that a route accepts. */
export type Upload = { readonly types: readonly string[]; readonly mostBytes: number }

/** A file that was sent, with one of the accepted types. */
export type Uploaded = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type Access =
  /** No authentication. `checkout`: for customers, with a rate limit by IP address. */
  | { readonly by: 'anybody'; readonly checkout?: true }
  /** An API key with this scope; `*`: only a key with all permissions. */
  | { readonly by: 'key'; readonly scope: Scope | '*'; readonly testOnly?: true }
  /** An access token. */
  | { readonly by: 'session' }
  /** A member of the merchant in the path with at least this role. `stepUp`: with a step-up in the last 5 minutes. */
  | { readonly by: 'member'; readonly role: Role; readonly stepUp?: true }
  /** An operator of the server: see operator-access.ts. */
  | { readonly by: 'operator'; readonly stepUp?: true }
  /** An operator, by a ticket in the query that is valid once. For WebSockets, which browsers open without an access token. */
  | { readonly by: 'ticket' }

/** The request for a handler, after all checks. */
export type Call<Path extends string = string, Body = undefined, Query = undefined> = {
  readonly params: Readonly<Record<Param<Path>, string>>
  readonly body: Body
  readonly query: Query
  readonly headers: Headers
  readonly requestId: string
  /** The response will have no body: what a GET would start or use up is not. */
  readonly isHead: boolean
}

/** The client address, from the connection or the trusted proxies. Not available with an API key. */
export type RequestOrigin = { readonly address: string }

type Param<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Param<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

export type MemberCaller = { readonly merchantId: string; readonly role: Role }

/** A status with a body that is serialized as JSON, or with a text that is sent as it is. `accept`: opens a WebSocket. */
export type Answer =
  | {
      readonly status: number
      readonly body?: unknown
      readonly headers?: HeaderFields
      readonly accept?: AcceptSocket
    }
  | TextAnswer

/** The type of a body or query. Built at its first use, because building all of them took a fifth of the start. */
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

/** The output of a type: with defaults, and with numbers instead of the strings of a query. */
export type Parsed<D> = D extends () => { readonly infer: infer Value } ? Value : undefined

type Defined = Pick<Route, 'path' | 'form' | 'upload' | 'page' | 'docs' | 'handle'> & {
  readonly body?: Declared
  readonly query?: Declared
}

/** Its types are built once, at their first use. They parse what the handler gets. */
export const define = (method: Method, access: Access, spec: unknown): Route => {
  const { path, body, form, upload, page, query, docs, handle } = spec as Defined
  const madeBody = body && lazy(body)
  const madeQuery = query && lazy(query)
  return {
    method,
    path,
    access,
    get body() {
      return madeBody?.()
    },
    form,
    upload,
    page,
    get query() {
      return madeQuery?.()
    },
    docs,
    handle,
  }
}

/** A route without authentication. */
export const forAnybody = <Path extends string, Body extends Declared = undefined, Query extends Declared = undefined>(
  method: Method,
  spec: Spec<Path, Body, Query, RequestOrigin>,
): Route => define(method, { by: 'anybody' }, spec)

/** A route for customers: without authentication, with the limit CHECKOUT_RATE_LIMIT. */
export const forCustomers = <
  Path extends string,
  Body extends Declared = undefined,
  Query extends Declared = undefined,
>(
  method: Method,
  spec: Spec<Path, Body, Query, RequestOrigin>,
): Route => define(method, { by: 'anybody', checkout: true }, spec)

export const forKeys = <Path extends string, Body extends Declared = undefined, Query extends Declared = undefined>(
  method: Method,
  { scope, testOnly }: { readonly scope: Scope | '*'; readonly testOnly?: true },
  spec: Spec<Path, Body, Query, { readonly key: KeyCaller }>,
): Route => define(method, { by: 'key', scope, ...(testOnly && { testOnly }) }, spec)

export const forSessions = <Path extends string, Body extends Declared = undefined, Query extends Declared = undefined>(
  method: Method,
  spec: Spec<Path, Body, Query, RequestOrigin & { readonly session: SessionCaller }>,
): Route => define(method, { by: 'session' }, spec)

/** Under `/v1/merchants/:merchantId/`. For a caller who is not a member, the merchant does not exist. */
export const forMembers = <
  Path extends `/v1/merchants/:merchantId${string}`,
  Body extends Declared = undefined,
  Query extends Declared = undefined,
>(
  method: Method,
  { role, stepUp }: { readonly role: Role; readonly stepUp?: true },
  spec: Spec<Path, Body, Query, RequestOrigin & { readonly session: SessionCaller; readonly member: MemberCaller }>,
): Route => define(method, { by: 'member', role, ...(stepUp && { stepUp }) }, spec)

/** Under `/v1/ops/`. For operators of the server, who see the records of all merchants. */
export const forOperators = <
  Path extends `/v1/ops/${string}`,
  Body extends Declared = undefined,
  Query extends Declared = undefined,
>(
  method: Method,
  { stepUp }: { readonly stepUp?: true },
  spec: Spec<Path, Body, Query, RequestOrigin & { readonly session: SessionCaller }>,
): Route => define(method, { by: 'operator', ...(stepUp && { stepUp }) }, spec)

/** Opens a WebSocket for the holder of a ticket. */
export const forTickets = <Path extends `/v1/ops/${string}`, Query extends Declared = undefined>(
  spec: Spec<Path, undefined, Query, RequestOrigin & { readonly holder: TicketHolder }>,
): Route => define('GET', { by: 'ticket' }, spec)

/** A route of members for a POST request whose body is a file. */
export const forUploads = <Path extends `/v1/merchants/:merchantId${string}`, Query extends Declared = undefined>(
  { role }: { readonly role: Role },
  spec: Pick<Spec<Path, undefined, Query, unknown>, 'path' | 'query' | 'docs'> & {
    readonly upload: Upload
    readonly handle: (
      api: Api,
      call: Call<Path, Uploaded, Parsed<Query>> &
        RequestOrigin & { readonly session: SessionCaller; readonly member: MemberCaller },
    ) => Answer | Promise<Answer>
  },
): Route => define('POST', { by: 'member', role }, spec)

/** The same without authentication, with the limit CHECKOUT_RATE_LIMIT. */
export const filesFromAnybody = <Path extends string>(
  spec: Pick<Spec<Path, undefined, undefined, unknown>, 'path' | 'docs'> & {
    readonly upload: Upload
    readonly handle: (api: Api, call: Call<Path, Uploaded> & RequestOrigin) => Answer | Promise<Answer>
  },
): Route => define('POST', { by: 'anybody', checkout: true }, spec)
