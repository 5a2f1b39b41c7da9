import { Elysia } from 'elysia'
import { refuse } from '../errors.ts'
import { clientAddress } from './address.ts'
import type { Api } from './api.ts'
import { isStorable, openBodyReader } from './body.ts'
import { exchange, type Seen } from './exchange.ts'
import { openFormReader } from './form.ts'
import { type Caller, type Guard, openGuard } from './guard.ts'
import type { Now } from './limits.ts'
import type { Answer, Method, Route } from './route.ts'
import { readQuery, strict, validateBody, validateQuery } from './validate.ts'

/**
 * The table of routes as a server. Elysia finds the route and does nothing else: it parses no body,
 * no query and no cookie, since it would do so before anybody has asked who is calling.
 */
export const app = (routes: readonly Route[], api: Api, now?: Now) => {
  const guard = openGuard(api, now)
  const elysia = new Elysia({
    strictPath: true,
    // The runtime's own router answers some paths without asking us, and decodes others its own way.
    systemRouter: false,
    // Else a host name of fewer than four letters moves the beginning of every path.
    handler: { standardHostname: false },
  })
  elysia.onRequest(({ request }) => {
    if (isReadable(request.url)) return
    return exchange(api, { request, pattern: undefined }, async () => refuse('parameter_invalid', { param: 'Host' }))
  })
  elysia.onError(({ request, code, error }) =>
    exchange(api, { request, pattern: undefined }, async () => {
      if (code === 'NOT_FOUND') return refuse('route_not_found')
      throw error
    }),
  )
  for (const route of routes) {
    const answer = answerWith(guard, route, api)
    for (const method of methodsOf(route))
      elysia.route(
        method,
        route.path,
        ({ request, params, server }) => {
          const peer = () => server?.requestIP(request)?.address ?? 'unknown'
          return exchange(api, { request, pattern: route.path }, seen => answer(seen, { request, params, peer }))
        },
        { parse: 'none' },
      )
  }
  for (const [path, allow] of allowedBy(routes))
    elysia.all(
      path,
      ({ request }) =>
        exchange(api, { request, pattern: path }, async ({ answerHeaders }) => {
          answerHeaders.allow = allow
          return refuse('method_not_allowed')
        }),
      { parse: 'none' },
    )
  return elysia
}

/**
 * With a Host header that is missing or strange the address of a request is its path alone, and Elysia looks
 * for a path behind the first seven characters. The probes of load balancers know no host, and one segment.
 */
const isReadable = (url: string): boolean => !url.startsWith('/') || url.lastIndexOf('/') === 0

type Arrived = {
  readonly request: Request
  readonly params: Readonly<Record<string, string | null>> | undefined
  /** A question to the system, which half of all requests need not ask. */
  readonly peer: () => string
}

/** The order of checks of the interface, after the route has been found. */
const answerWith = (guard: Guard, route: Route, api: Api) => {
  const readBody = route.form ? openFormReader() : openBodyReader()
  return ({ requestId, answerHeaders }: Seen, { request, params: given, peer }: Arrived): Answer | Promise<Answer> => {
    const { headers } = request
    const params = readParams(given)
    let known: string | undefined
    const address = () => {
      known ??= clientAddress(peer(), headers.get('x-forwarded-for'), api.settings.trustedProxies)
      return known
    }
    const from = route.access.by === 'key' ? undefined : address()
    const handle = ({ key, session, member }: Caller, sent: unknown) => {
      const query = route.page ? {} : validateQuery(strict(route.query), readQuery(request.url))
      const body = route.method === 'GET' ? undefined : validateBody(strict(route.body), sent === undefined ? {} : sent)
      // Field by field: to spread three objects into one took longer than to find out who calls.
      const call = { params, query, body, headers, requestId, address: from, key, session, member }
      // What a handler is told was parsed by the types that it was declared with.
      return route.handle(api, call as never)
    }
    // Each wait is felt by every request: nearly always the caller is known at once, and what only reads has no body.
    const admitted = (caller: Caller) =>
      route.method === 'GET' ? handle(caller, undefined) : readBody(request, sent => handle(caller, sent))
    const guarded = guard(route.access, { headers, params, address, answerHeaders })
    return guarded instanceof Promise ? guarded.then(admitted) : admitted(guarded)
  }
}

/** What cannot be decoded comes as null, and names nothing that exists. */
const readParams = (params: Arrived['params'] = {}): Record<string, string> => {
  const read: Record<string, string> = {}
  for (const name in params) {
    const value = params[name]
    read[name] = value && isStorable(value) ? value : ''
  }
  return read
}

const methodsOf = ({ method }: Route): readonly (Method | 'HEAD')[] => (method === 'GET' ? ['GET', 'HEAD'] : [method])

const allowedBy = (routes: readonly Route[]): ReadonlyMap<string, string> => {
  const paths = Map.groupBy(routes, ({ path }) => path)
  return new Map([...paths].map(([path, group]) => [path, group.flatMap(methodsOf).join(', ')]))
}
