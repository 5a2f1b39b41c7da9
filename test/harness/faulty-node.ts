import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { answerFaultily, type Lies, lieDefaults, type RpcCall, type RpcEntry } from './faulty-answers.ts'
import { randomOf } from './random.ts'

/**
 * What a node can be made to do, each with its knobs: `node.break('lags', { blocks: 100 })`. Several hold at
 * once. What is said of chains is in faulty-answers.ts; these are about bytes.
 */
export type Faults = Lies & {
  /** Random bytes with a status of 200. */
  readonly garbage: Nothing
  /** JSON within JSON, so deep that parsers overflow. */
  readonly nests_deeply: Nothing
  /** The first `share` of a true answer, and a clean end. */
  readonly truncates_json: { readonly share: number }
  /** The same, and the connection is cut. */
  readonly closes_half_way: { readonly share: number }
  /** Well begun, and then so many bytes, made as they are read. `declared` says so in Content-Length. */
  readonly gigabyte: { readonly bytes: number; readonly declared: boolean }
  /** So many bytes, compressed to a thousandth and less, whether the client takes that or not. */
  readonly bomb: { readonly bytes: number; readonly encoding: 'br' | 'gzip' }
  /** A true answer, of which so many bytes come every so often. */
  readonly drips: { readonly bytes: number; readonly everyMs: number }
  /** Takes the request and says nothing. */
  readonly silent: Nothing
  /** Answers this much later. */
  readonly slow: { readonly ms: number }
  /** HTTP 429; null leaves Retry-After out, and a text may be anything. */
  readonly rate_limits: { readonly retryAfter: string | null }
  /** HTTP 200 in which every call has the error 429. */
  readonly rate_limits_inside: Nothing
  readonly redirects: { readonly to: string; readonly status: number }
  readonly fails: { readonly status: number }
  /** One error for a batch of more than `most` calls; a status of 413 comes without a body. */
  readonly refuses_batches: { readonly most: number; readonly status: number }
}

/** Which requests are struck: all, unless said otherwise. */
export type Struck = {
  /** Of the requests that could be, at random by the seed. */
  readonly share?: number
  /** Those in which one of these is called. */
  readonly methods?: readonly string[]
  /** So many, and then the fault mends by itself. */
  readonly times?: number
}

export type FaultyNode = AsyncDisposable & {
  /** Holds `secret` in its path, as the URLs of providers do. */
  readonly url: string
  readonly secret: string
  break<F extends keyof Faults>(fault: F, knobs?: Partial<Faults[F]> & Struck): void
  /** One fault, or all. */
  mend(fault?: keyof Faults): void
  /** What was asked so far, one array of methods a request. */
  readonly asked: readonly (readonly string[])[]
}

type Nothing = Readonly<Record<never, never>>

const defaults: Faults = {
  ...lieDefaults,
  garbage: {},
  nests_deeply: {},
  truncates_json: { share: 0.5 },
  closes_half_way: { share: 0.5 },
  gigabyte: { bytes: 2 ** 30, declared: false },
  bomb: { bytes: 2 ** 30, encoding: 'br' },
  drips: { bytes: 1, everyMs: 20 },
  silent: {},
  slow: { ms: 200 },
  rate_limits: { retryAfter: null },
  rate_limits_inside: {},
  redirects: { to: 'http://127.0.0.1:1/', status: 307 },
  fails: { status: 500 },
  refuses_batches: { most: 3, status: 200 },
}

/** A path to a real node, on loopback, that breaks and mends while it runs. The seed decides all that is random in it. */
export const faultyNode = async (target: string, { seed = 1 } = {}): Promise<FaultyNode> => {
  const random = randomOf(seed)
  const faults = new Map<keyof Faults, { readonly knobs: object; readonly struck: Struck; left: number }>()
  const asked: (readonly string[])[] = []
  const secret = `k3y-${Math.floor(random() * 1e9)}-secret`

  const strikes = (methods: readonly string[]): Partial<Faults> => {
    const now: [string, object][] = []
    for (const [name, fault] of faults) {
      if (fault.struck.methods && !fault.struck.methods.some(method => methods.includes(method))) continue
      if (random() >= (fault.struck.share ?? 1)) continue
      now.push([name, fault.knobs])
      if (--fault.left === 0) faults.delete(name)
    }
    return Object.fromEntries(now)
  }

  const ask = async (calls: readonly RpcCall[]): Promise<readonly RpcEntry[]> => {
    const body = JSON.stringify(calls.map(call => ({ jsonrpc: '2.0', ...call })))
    const response = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return (await response.json()) as RpcEntry[]
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(await text(request)) as RpcCall | RpcCall[]
    const calls = Array.isArray(body) ? body : [body]
    const methods = calls.map(call => call.method)
    asked.push(methods)
    const struck = strikes(methods)
    if (struck.slow) await new Promise(resolve => setTimeout(resolve, struck.slow?.ms))
    if (await answerWithout(response, struck, calls)) return
    const entries = await answerFaultily(calls, struck, { ask, random, url: node.url })
    const answer = entries.map(entry => ({ jsonrpc: '2.0', ...entry }))
    await send(response, struck, Buffer.from(JSON.stringify(Array.isArray(body) ? answer : answer[0])), random)
  }

  const server = createServer((request, response) => {
    // The client may be gone, or the real node.
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const node: FaultyNode = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v2/${secret}?token=${secret}`,
    secret,
    asked,
    break: (fault, { share, methods, times, ...knobs } = {}) => {
      const struck = { ...(share !== undefined && { share }), ...(methods && { methods }) }
      faults.set(fault, { knobs: { ...defaults[fault], ...knobs }, struck, left: times ?? Number.POSITIVE_INFINITY })
    },
    mend: fault => {
      if (fault) faults.delete(fault)
      else faults.clear()
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return node
}

/** What needs no answer of the real node. True when that was all. */
const answerWithout = async (response: ServerResponse, faults: Partial<Faults>, calls: readonly RpcCall[]) => {
  const { rate_limits, redirects, fails, refuses_batches, gigabyte, bomb } = faults
  if (faults.silent) return true
  if (rate_limits) {
    const { retryAfter } = rate_limits
    response.writeHead(429, retryAfter === null ? {} : { 'retry-after': retryAfter }).end('slow down')
  } else if (redirects) response.writeHead(redirects.status, { location: redirects.to }).end()
  else if (fails) response.writeHead(fails.status).end('<html>')
  else if (refuses_batches && calls.length > refuses_batches.most) {
    const error = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } }
    response.writeHead(refuses_batches.status).end(refuses_batches.status === 413 ? '' : JSON.stringify(error))
  } else if (faults.rate_limits_inside)
    response.end(JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: 429, message: 'slow' } }))))
  else if (faults.nests_deeply) response.end('['.repeat(8_000_000))
  else if (bomb) response.writeHead(200, { 'content-encoding': bomb.encoding }).end(await bombOf(bomb))
  else if (gigabyte) await pour(response, gigabyte, calls)
  else return false
  return true
}

const send = async (response: ServerResponse, faults: Partial<Faults>, answer: Buffer, random: () => number) => {
  const { truncates_json, closes_half_way, drips } = faults
  if (faults.garbage) response.end(Buffer.from(answer.map(() => random() * 256)))
  else if (truncates_json) response.end(answer.subarray(0, answer.length * truncates_json.share))
  else if (closes_half_way) {
    response.writeHead(200, { 'content-length': answer.length })
    response.write(answer.subarray(0, answer.length * closes_half_way.share), () => response.destroy())
  } else if (drips) {
    for (let at = 0; at < answer.length && !response.destroyed; at += drips.bytes) {
      response.write(answer.subarray(at, at + drips.bytes))
      await new Promise(resolve => setTimeout(resolve, drips.everyMs))
    }
    response.end()
  } else response.setHeader('content-type', 'application/json').end(answer)
}

/** One piece again and again, as fast as it is read. */
const pour = async (response: ServerResponse, { bytes, declared }: Faults['gigabyte'], calls: readonly RpcCall[]) => {
  const start = Buffer.from(`[{"jsonrpc":"2.0","id":${JSON.stringify(calls[0]?.id)},"result":"0x`)
  response.writeHead(200, declared ? { 'content-length': bytes } : {})
  await pipeline(pieces(bytes, start), response)
}

const pieces = function* (bytes: number, start = Buffer.alloc(0)) {
  const piece = Buffer.alloc(2 ** 20, 'a')
  yield start
  for (let poured = 0; poured < bytes; poured += piece.length) yield piece
}

const bombs = new Map<string, Promise<Buffer>>()

/** Made piece by piece and once: the test that measures memory runs in this process too. */
const bombOf = ({ bytes, encoding }: Faults['bomb']): Promise<Buffer> => {
  const key = `${encoding} ${bytes}`
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
  const made = bombs.get(key) ?? compressed(bytes, encoding === 'br' ? createBrotliCompress(fast) : createGzip())
  bombs.set(key, made)
  return made
}

const compressed = async (bytes: number, compressor: Transform): Promise<Buffer> => {
  const [made] = await Promise.all([buffer(compressor), pipeline(pieces(bytes), compressor)])
  return made
}
