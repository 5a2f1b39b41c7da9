import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { answerFaultily, type Lies, lieDefaults, type RpcCall, type RpcEntry } from './faulty-answers.ts'
import { randomOf } from './random.ts'

/**
 * The faults of a node, each with its parameters: `node.break('lags', { blocks: 100 })`. Several can be active at the
 * same time. Faults that change chain data are in faulty-answers.ts; these change bytes.
 */
export type Faults = Lies & {
  /** Random bytes with status 200. */
  readonly garbage: Nothing
  /** JSON nested so deeply that parsers overflow. */
  readonly nests_deeply: Nothing
  /** The first `share` of a correct response, ended cleanly. */
  readonly truncates_json: { readonly share: number }
  /** The same, but the connection is cut. */
  readonly closes_half_way: { readonly share: number }
  /** A valid beginning and then `bytes` bytes, made while they are read. `declared` sets Content-Length. */
  readonly gigabyte: { readonly bytes: number; readonly declared: boolean }
  /** `bytes` bytes, compressed to a thousandth or less, whether the client accepts the encoding or not. */
  readonly bomb: { readonly bytes: number; readonly encoding: 'br' | 'gzip' }
  /** A correct response, `bytes` at a time every `everyMs`. */
  readonly drips: { readonly bytes: number; readonly everyMs: number }
  /** Accepts the request and never responds. */
  readonly silent: Nothing
  /** Responds this much later. */
  readonly slow: { readonly ms: number }
  /** HTTP 429; null leaves out Retry-After, which may be any text. */
  readonly rate_limits: { readonly retryAfter: string | null }
  /** HTTP 200 in which every call has the error 429. */
  readonly rate_limits_inside: Nothing
  readonly redirects: { readonly to: string; readonly status: number }
  readonly fails: { readonly status: number }
  /** One error for a batch of more than `most` calls; status 413 has no body. */
  readonly refuses_batches: { readonly most: number; readonly status: number }
}

/** Which requests are affected; by default all. */
export type Struck = {
  /** The share of matching requests, chosen at random by the seed. */
  readonly share?: number
  /** Only requests that call one of these methods. */
  readonly methods?: readonly string[]
  /** Stops after this number of requests. */
  readonly times?: number
}

export type FaultyNode = AsyncDisposable & {
  /** Has `secret` in its path, as provider URLs do. */
  readonly url: string
  readonly secret: string
  break<F extends keyof Faults>(fault: F, knobs?: Partial<Faults[F]> & Struck): void
  /** Removes one fault, or all. */
  mend(fault?: keyof Faults): void
  /** The methods of every request so far, one array per request. */
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

/** A proxy on loopback before a real node; faults are added and removed while it runs. The seed decides everything random. */
export const faultyNode = async (target: string, { seed = 1 } = {}): Promise<FaultyNode> => {
  const random = randomOf(seed)
  const faults = new Map<keyof Faults, { readonly knobs: object; readonly affected: Struck; left: number }>()
  const asked: (readonly string[])[] = []
  const secret = `k3y-${Math.floor(random() * 1e9)}-secret`

  const activeFaults = (methods: readonly string[]): Partial<Faults> => {
    const now: [string, object][] = []
    for (const [name, fault] of faults) {
      if (fault.affected.methods && !fault.affected.methods.some(method => methods.includes(method))) continue
      if (random() >= (fault.affected.share ?? 1)) continue
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
    const affected = activeFaults(methods)
    if (affected.slow) await new Promise(resolve => setTimeout(resolve, affected.slow?.ms))
    if (await answerWithout(response, affected, calls)) return
    const entries = await answerFaultily(calls, affected, { ask, random, url: node.url })
    const answer = entries.map(entry => ({ jsonrpc: '2.0', ...entry }))
    await send(response, affected, Buffer.from(JSON.stringify(Array.isArray(body) ? answer : answer[0])), random)
  }

  const server = createServer((request, response) => {
    // The client or the real node may have closed the connection.
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const node: FaultyNode = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v2/${secret}?token=${secret}`,
    secret,
    asked,
    break: (fault, { share, methods, times, ...knobs } = {}) => {
      const affected = { ...(share !== undefined && { share }), ...(methods && { methods }) }
      faults.set(fault, { knobs: { ...defaults[fault], ...knobs }, affected, left: times ?? Number.POSITIVE_INFINITY })
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

/** Faults that need no response of the real node. True when the request was answered by one. */
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
  else if (gigabyte) await writeEndlessly(response, gigabyte, calls)
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

/** Repeats one chunk as fast as it is read. */
const writeEndlessly = async (
  response: ServerResponse,
  { bytes, declared }: Faults['gigabyte'],
  calls: readonly RpcCall[],
) => {
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

/** Made chunk by chunk and only once: the test that measures memory runs in this process. */
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
