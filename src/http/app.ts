import { Elysia } from 'elysia'
import { type Refusal, refuse } from '../errors.ts'
import type { WholeText } from '../pages/answer.ts'
import { notFoundPage } from '../pages/not-found.ts'
import { problemPage } from '../pages/problem.ts'
import { prefersHtml } from './accept.ts'
import type { Api } from './api.ts'
import { isStorable, openBodyReader } from './body.ts'
import { anybody, exchange, type Steps } from './exchange.ts'
import { openFormReader } from './form.ts'
import { type Caller, type Guard, openGuard } from './guard.ts'
import type { Now } from './limits.ts'
import { localeOf } from './locale.ts'
import type { Method, Route } from './route.ts'
import { openUploadReader } from './upload.ts'
import { pageQuery, readQuery, repeatableIn, strict, validateBody, validateQuery } from './validate.ts'
import { addressOf, type Door, openVisit, type Visit } from './visit.ts'

/**
 * Serves the table of routes. Elysia only finds the route. It does not parse bodies, queries or cookies, because it would do
 * so before the caller is authenticated.
 */
export const app = (routes: readonly Route[], api: Api, now?: Now) => {
  const guard = openGuard(api, now)
  const { settings } = api
  const elysia = new Elysia({
    strictPath: true,
    // The router of the runtime answers some paths itself, and decodes others differently.
    systemRouter: false,
    // Otherwise a host name with fewer than four letters shifts the start of every path.
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
        return prefersHtml(headers.get('accept'))
          ? notFoundPage(api.web, localeOf(undefined, headers))
          : refuse('route_not_found')
      },
    }),
  )
  // Not from Elysia's context, which creates it for each request.
  const door: Door = {
    requestIP: request => elysia.server?.requestIP(request) ?? null,
    keepOpen: request => elysia.server?.timeout(request, 0),
  }
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
 * Without a valid Host header the URL of a request is only its path, and Elysia would search for a path after the first seven
 * characters. Paths with one segment are allowed, because health checks of load balancers send no host.
 */
const isReadable = (url: string): boolean => !url.startsWith('/') || url.lastIndexOf('/') === 0

const stepsOf = (guard: Guard, route: Route, api: Api): Steps<Caller> => {
  const { method, access, form, upload, page } = route
  const readBody = () => {
    if (upload) return openUploadReader(upload)
    return form ? openFormReader() : openBodyReader()
  }
  return {
    admit: visit => {
      // Read before the connection can be closed: the address is not available afterwards.
      if (access.by !== 'key') addressOf(visit, api)
      return guard(access, visit)
    },
    read: method === 'GET' ? undefined : readBody(),
    answer: (visit, { key, session, member, holder }, sent) => {
      const { request, params, headers, requestId } = visit
      // Handlers for API keys do not use the address.
      const address = access.by === 'key' ? undefined : visit.address
      const query = page
        ? pageQuery(route.query, request.url)
        : validateQuery(strict(route.query), readQuery(request.url, repeatableIn(route.query)))
      const body = method === 'GET' || upload ? sent : validateBody(strict(route.body), sent === undefined ? {} : sent)
      // Field by field: spreading three objects took longer than authentication.
      const isHead = request.method === 'HEAD'
      const call = { params, query, body, headers, requestId, isHead, address, key, session, member, holder }
      // The values were parsed by the types that the route declares.
      return route.handle(api, call as never)
    },
    ...(page && { refused: (refusal: Refusal, visit: Visit) => refusedPageOf(api, refusal, visit) }),
  }
}

const refusedPageOf = ({ web }: Api, refusal: Refusal, { headers, requestId }: Visit): WholeText | undefined => {
  if (!prefersHtml(headers.get('accept'))) return undefined
  const { status, code, because } = refusal
  return problemPage(web, { status, code, requestId, retryAfter: because.retryAfter }, localeOf(undefined, headers))
}

/** A parameter that cannot be decoded is null here; it becomes an empty string, which matches no object. */
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
