import { cachedByAddress } from '../address-ranges.ts'
import { parseRetryAfter } from '../retry-after.ts'
import { openAgents } from './agents.ts'
import { openDeadlines } from './deadlines.ts'
import { COMMON_HEADERS } from './request-headers.ts'
import type { Resolve } from './resolve.ts'
import { openResolver } from './resolver.ts'
import { type Exchange, postOnce, type SendFailure, type WebhookResponse } from './send.ts'
import { type ShownHeaders, shownHeadersOf } from './shown-headers.ts'
import { snippetOf } from './snippet.ts'
import { checkAddresses, knownAddresses, parseTarget, type Rules, type WebhookTarget } from './target.ts'

/** Sends all requests to the URLs of merchants. */
export type Poster = {
  /** Sends one request at most. Never rejects, and never takes longer than the timeout. */
  post(given: Post): Promise<PostOutcome>
  /** Also ends requests under way. */
  close(): void
}

export type Post = {
  readonly url: string
  readonly livemode: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export type PostOutcome = {
  /**
   * The status decides, whether the body can be read or not: `delivered` for 2xx, `redirect` for 3xx, `http_error` for
   * all others. `redirect` and `forbidden_address` end the delivery.
   */
  readonly outcome:
    | 'delivered'
    | 'redirect'
    | 'http_error'
    | 'forbidden_address'
    | 'dns_failed'
    | 'timeout'
    | ConnectionFault
  readonly httpStatus: number | null
  readonly responseSnippet: string | null
  readonly responseHeaders: ShownHeaders | null
  /** At most a day. Null if the outcome is `delivered`. */
  readonly retryAfterSeconds: number | null
  readonly durationMs: number
}

type ConnectionFault = 'connection_failed' | 'tls_failed' | 'bad_response'

export type PosterOptions = {
  readonly rules: Rules
  readonly resolve?: Resolve
  /** Certificate authorities to trust instead of the well-known ones. */
  readonly ca?: string
  /** The timeout for the lookup, the connection, the request and the response together. */
  readonly timeoutMs?: number
  /** The clock for a Retry-After header with a date. */
  readonly now?: () => Date
}

/** If an address cannot be connected to, the next one is tried, because nothing has been sent yet. */
const MAX_ADDRESSES = 4
const CONNECT_MS = 3_000

export const openPoster = ({
  rules,
  resolve,
  ca,
  timeoutMs = 15_000,
  now = () => new Date(),
}: PosterOptions): Poster => {
  const resolver = openResolver(resolve)
  const agents = openAgents(ca)
  const deadlines = openDeadlines(timeoutMs)
  const routes = { live: routesOf(true, rules), test: routesOf(false, rules) }
  let closed = false

  const attempt = async ({ url, livemode, headers, body }: Post, limit: Limit): Promise<WebhookResponse | Ending> => {
    const route = (livemode ? routes.live : routes.test)(url)
    if (!route) return 'forbidden_address'
    const { target } = route
    const { name } = target
    const addresses = route.known ?? resolver.known(name) ?? (await beforeCut(resolver.find(name), limit))
    if (!addresses || addresses.length === 0) return 'dns_failed'
    if (!route.mayUse(addresses)) return 'forbidden_address'
    const tried = addresses.length > MAX_ADDRESSES ? addresses.slice(0, MAX_ADDRESSES) : addresses
    const allHeaders = {
      ...COMMON_HEADERS,
      ...headers,
      Host: target.host,
      'Content-Length': typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength,
    }
    for (const address of tried) {
      if (limit.over || closed) break
      const connectMs = address === tried.at(-1) ? undefined : CONNECT_MS
      const exchange = postOnce({
        target,
        address,
        agent: agents.for(target, address),
        headers: allHeaders,
        body,
        connectMs,
      })
      limit.cut = exchange.cut
      const answer = await exchange.answer
      if (answer !== 'unreachable') return answer
    }
    return limit.over ? 'cut_off' : 'connection_failed'
  }

  return {
    post: async given => {
      const startedAt = performance.now()
      const limit: Limit = { over: false, cut: undefined }
      const deadline = deadlines.add(() => {
        limit.over = true
        limit.cut?.()
      })
      // A request that cannot be built, such as one with a line break in a header, counts as a failed connection.
      const answer = await attempt(given, limit).catch((): Ending => 'connection_failed')
      deadline.done()
      const durationMs = Math.round(performance.now() - startedAt)
      if (typeof answer !== 'string') return answered(answer, durationMs, now)
      const outcome = answer !== 'cut_off' ? answer : closed ? 'connection_failed' : 'timeout'
      return { ...unanswered, outcome, durationMs }
    },
    close: () => {
      closed = true
      deadlines.close()
      agents.close()
    },
  }
}

const unanswered = { httpStatus: null, responseSnippet: null, responseHeaders: null, retryAfterSeconds: null } as const

type Ending = Exclude<SendFailure, 'unreachable'> | 'forbidden_address' | 'dns_failed'

type Limit = { over: boolean; cut: Exchange['cut'] | undefined }

const answered = ({ status, headers, body }: WebhookResponse, durationMs: number, now: () => Date): PostOutcome => {
  const outcome =
    status >= 200 && status < 300 ? 'delivered' : status >= 300 && status < 400 ? 'redirect' : 'http_error'
  return {
    outcome,
    httpStatus: status,
    responseSnippet: snippetOf(body, headers['content-encoding']),
    responseHeaders: shownHeadersOf(headers),
    retryAfterSeconds: outcome === 'delivered' ? null : parseRetryAfter(headers['retry-after'], now()),
    durationMs,
  }
}

/** A parsed URL and its checks, cached for further attempts. Null if nothing may be sent to the URL. */
type Route = {
  readonly target: WebhookTarget
  readonly known: readonly string[] | undefined
  mayUse(addresses: readonly string[]): boolean
}

const routesOf = (livemode: boolean, rules: Rules) =>
  cachedByAddress((url): Route | null => {
    const target = parseTarget(url)
    if (typeof target === 'string') return null
    const checked = new WeakMap<readonly string[], boolean>()
    return {
      target,
      known: knownAddresses(target, rules),
      mayUse: addresses => {
        const cached = checked.get(addresses)
        if (cached !== undefined) return cached
        const ok = checkAddresses(target, addresses, livemode, rules) === 'ok'
        checked.set(addresses, ok)
        return ok
      },
    }
  }, 10_000)

/** Resolves to undefined if the promise rejects, or the limit is reached first. */
const beforeCut = <T>(promise: Promise<T>, limit: Limit): Promise<T | undefined> =>
  new Promise(resolve => {
    limit.cut = () => resolve(undefined)
    promise.then(resolve, () => resolve(undefined))
  })
