import { Elysia } from 'elysia'
import { refuse } from '../errors.ts'
import { notFoundPage } from '../pages/not-found.ts'
import { prefersHtml } from './accept.ts'
import type { Api } from './api.ts'
import { isStorable, openBodyReader } from './body.ts'
import { anybody, exchange, type Steps } from './exchange.ts'
import { openFormReader } from './form.ts'
import { type Caller, type Guard, openGuard } from './guard.ts'
import type { Now } from './limits.ts'
import type { Method, Route } from './route.ts'
import { readQuery, strict, validateBody, validateQuery } from './validate.ts'
import { addressOf, type Door, openVisit } from './visit.ts'

/**
 * The table of routes as a server. Elysia finds the route and does nothing else: it parses no body,
 * no query and no cookie, since it would do so before anybody has asked who is calling.
 */
export const app = (routes: readonly Route[], api: Api, now?: Now) => {
  const guard = openGuard(api, now)
  const { settings } = api
  const elysia = new Elysia({
    strictPath: true,
    // The runtime's own router answers some paths without asking us, and decodes others its own way.
    systemRouter: false,
    // Else a host name of fewer than four letters moves the beginning of every path.
    handler: { standardHostname: false },
  })
  elysia.onRequest(({ request }) => {
    if (isReadable(request.url)) return
    return exchange(api, openVisit({ request, pattern: undefined }, settings), {
      admit: anybody,
      answer: () => refuse('parameter_invalid', { param: 'Host' }),
    })
  })
  elysia.onError(({ request, code, error }) =>
    exchange(api, openVisit({ request, pattern: undefined }, settings), {
      admit: anybody,
      answer: ({ headers }) => {
        if (code !== 'NOT_FOUND') throw error
        return prefersHtml(headers.get('accept')) ? notFoundPage() : refuse('route_not_found')
      },
    }),
  )
  // Not by Elysia's context, which defines it anew for each request.
  const door: Door = { requestIP: request => elysia.server?.requestIP(request) ?? null }
  for (const route of routes) {
    const { path: pattern } = route
    const steps = stepsOf(guard, route, api)
    for (const method of methodsOf(route))
      elysia.route(
        method,
        pattern,
        ({ request, params }) =>
          exchange(api, openVisit({ request, pattern, params: readParams(params), door }, settings), steps),
        { parse: 'none' },
      )
  }
  for (const [pattern, allow] of allowedBy(routes))
    elysia.all(
      pattern,
      ({ request }) =>
        exchange(api, openVisit({ request, pattern }, settings), {
          admit: anybody,
          answer: ({ answerHeaders }) => {
            answerHeaders.allow = allow
            return refuse('method_not_allowed')
          },
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

const stepsOf = (guard: Guard, route: Route, api: Api): Steps<Caller> => {
  const { method, access, form, page } = route
  return {
    admit: visit => {
      // While the caller is still there to be asked.
      if (access.by !== 'key') addressOf(visit, api)
      return guard(access, visit)
    },
    read: method === 'GET' ? undefined : form ? openFormReader() : openBodyReader(),
    answer: (visit, { key, session, member }, sent) => {
      const { request, params, headers, requestId } = visit
      // With a key it does not matter, and is known by chance.
      const address = access.by === 'key' ? undefined : visit.address
      const query = page ? {} : validateQuery(strict(route.query), readQuery(request.url))
      const body = method === 'GET' ? undefined : validateBody(strict(route.body), sent === undefined ? {} : sent)
      // Field by field: to spread three objects into one took longer than to find out who calls.
      const call = { params, query, body, headers, requestId, address, key, session, member }
      // What a handler is told was parsed by the types that it was declared with.
      return route.handle(api, call as never)
    },
  }
}

/** What cannot be decoded comes as null, and names nothing that exists. */
const readParams = (params: Readonly<Record<string, string | null>> | undefined): Record<string, string> => {
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
