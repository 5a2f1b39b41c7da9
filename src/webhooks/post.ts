import { remembered } from '../address-ranges.ts'
import { parseRetryAfter } from '../retry-after.ts'
import { openAgents } from './agents.ts'
import { openDeadlines } from './deadlines.ts'
import type { Resolve } from './resolve.ts'
import { openResolver } from './resolver.ts'
import { type Exchange, postOnce, type SendFailure, type WebhookResponse } from './send.ts'
import { snippetOf } from './snippet.ts'
import { judgeAddresses, knownAddresses, parseTarget, type Rules, type WebhookTarget } from './target.ts'

/** Whoever calls a merchant's URL does it here. */
export type Poster = {
  /** One request at most. Never rejects, and never takes longer than the receiver is given. */
  post(given: Post): Promise<PostOutcome>
  /** Ends what is under way too. */
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
   * A status decides as soon as it is read, whatever becomes of the body behind it: `delivered` for 2xx, `redirect`
   * for 3xx, `http_error` for any other. `redirect` and `forbidden_address` end the delivery.
   */
  readonly outcome: 'delivered' | 'redirect' | 'http_error' | 'forbidden_address' | 'dns_failed' | 'timeout' | Reported
  readonly httpStatus: number | null
  readonly responseSnippet: string | null
  /** At most a day, and null for what is delivered. */
  readonly retryAfterSeconds: number | null
  readonly durationMs: number
}

type Reported = 'connection_failed' | 'tls_failed' | 'bad_response'

export type PosterOptions = {
  readonly rules: Rules
  readonly resolve?: Resolve
  /** Certificates to trust in place of the well-known ones. */
  readonly ca?: string
  /** For the lookup, the connection, the request and the answer together. */
  readonly timeoutMs?: number
  /** What a Retry-After that is a date is measured by. */
  readonly now?: () => Date
}

/** A receiver with a dead address among several is still reached: as long as nothing is sent, the next one is tried. */
const MOST_ADDRESSES = 4
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
    const addresses = route.known ?? resolver.known(name) ?? (await inTime(resolver.find(name), limit))
    if (!addresses || addresses.length === 0) return 'dns_failed'
    if (!route.leadsTo(addresses)) return 'forbidden_address'
    const tried = addresses.length > MOST_ADDRESSES ? addresses.slice(0, MOST_ADDRESSES) : addresses
    const all = {
      'Content-Type': 'application/json',
      'User-Agent': 'paymachine',
      ...headers,
      Host: target.host,
      'Content-Length': typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength,
    }
    for (const address of tried) {
      if (limit.over || closed) break
      const connectMs = address === tried.at(-1) ? undefined : CONNECT_MS
      const exchange = postOnce({ target, address, agent: agents.for(target, address), headers: all, body, connectMs })
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
      // What cannot even be asked, such as a header with a line break in it, has connected to nothing.
      const answer = await attempt(given, limit).catch((): Ending => 'connection_failed')
      deadline.done()
      const durationMs = Math.round(performance.now() - startedAt)
      if (typeof answer !== 'string') return answered(answer, durationMs, now)
      const outcome = answer !== 'cut_off' ? answer : closed ? 'connection_failed' : 'timeout'
      return { outcome, httpStatus: null, responseSnippet: null, retryAfterSeconds: null, durationMs }
    },
    close: () => {
      closed = true
      deadlines.close()
      agents.close()
    },
  }
}

type Ending = Exclude<SendFailure, 'unreachable'> | 'forbidden_address' | 'dns_failed'

type Limit = { over: boolean; cut: Exchange['cut'] | undefined }

const answered = ({ status, headers, body }: WebhookResponse, durationMs: number, now: () => Date): PostOutcome => {
  const outcome =
    status >= 200 && status < 300 ? 'delivered' : status >= 300 && status < 400 ? 'redirect' : 'http_error'
  return {
    outcome,
    httpStatus: status,
    responseSnippet: snippetOf(body, headers['content-encoding']),
    retryAfterSeconds: outcome === 'delivered' ? null : parseRetryAfter(headers['retry-after'], now()),
    durationMs,
  }
}

/** What a URL leads to, worked out once and not for every attempt; undefined where nothing may be sent. */
type Route = {
  readonly target: WebhookTarget
  readonly known: readonly string[] | undefined
  leadsTo(addresses: readonly string[]): boolean
}

const routesOf = (livemode: boolean, rules: Rules) =>
  remembered((url): Route | null => {
    const target = parseTarget(url)
    if (typeof target === 'string') return null
    const judged = new WeakMap<readonly string[], boolean>()
    return {
      target,
      known: knownAddresses(target, rules),
      leadsTo: addresses => {
        const before = judged.get(addresses)
        if (before !== undefined) return before
        const ok = judgeAddresses(target, addresses, livemode, rules) === 'ok'
        judged.set(addresses, ok)
        return ok
      },
    }
  }, 10_000)

/** Undefined when it fails, or when the time is over first. */
const inTime = <T>(promise: Promise<T>, limit: Limit): Promise<T | undefined> =>
  new Promise(resolve => {
    limit.cut = () => resolve(undefined)
    promise.then(resolve, () => resolve(undefined))
  })
