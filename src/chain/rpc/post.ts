import { Buffer } from 'node:buffer'
import { parseRetryAfter } from '../../retry-after.ts'
import { RpcFault } from './rpc.ts'

export type PostTarget = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: the node is reached directly, whatever proxies the environment names. */
  readonly proxy: string | undefined
}

export type PostOptions = {
  readonly timeoutMs: number
  readonly mostBytes: number
  readonly signal: AbortSignal | undefined
  readonly closed: AbortSignal
  /** The wall clock, for a Retry-After that is a date. */
  readonly now: () => number
}

export type Posted = {
  readonly ok: boolean
  readonly status: number
  /** Undefined when the body was no JSON. */
  readonly json: unknown
  readonly bytes: number
}

/** Where a node is reached. fetch refuses a URL with a password in it, and shows it while doing so. */
export const targetOf = (url: string, proxy?: string): PostTarget => {
  const { username, password } = new URL(url)
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'accept-encoding': 'identity' }
  if (!username && !password) return { url, headers, proxy }
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  return { url: bare.href, headers: { ...headers, authorization }, proxy }
}

/** One POST. The deadline holds for the body too: an answer that drips would otherwise never end. */
export const post = async (target: PostTarget, body: string, options: PostOptions): Promise<Posted> => {
  options.signal?.throwIfAborted()
  const { timeoutMs, closed, signal } = options
  const ending = new AbortController()
  const end = () => ending.abort()
  let late = false
  const timer = setTimeout(() => {
    late = true
    end()
  }, timeoutMs)
  closed.addEventListener('abort', end)
  signal?.addEventListener('abort', end)
  try {
    return await exchange(target, body, options, ending.signal)
  } catch (error) {
    // Lets the connection go, where an answer was not read to its end.
    end()
    signal?.throwIfAborted()
    if (error instanceof RpcFault) throw error
    throw new RpcFault(late ? 'timeout' : 'unreachable')
  } finally {
    clearTimeout(timer)
    closed.removeEventListener('abort', end)
    signal?.removeEventListener('abort', end)
  }
}

const exchange = async (
  { url, headers, proxy }: PostTarget,
  body: string,
  options: PostOptions,
  signal: AbortSignal,
) => {
  if (options.closed.aborted) throw new RpcFault('unreachable', 'the client is closed')
  // Bun decompresses ahead of its reader: a kilobyte of brotli took 1.3 GB before the cap was seen. Other runtimes ignore the option.
  // It also sends requests to a proxy that HTTP_PROXY or HTTPS_PROXY names, with the keys in their URLs, unless `proxy` is false.
  const ofBun = { decompress: false, proxy: proxy ?? false }
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal, ...ofBun })
  const { status, ok } = response
  if ((response.headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw new RpcFault('garbage', 'compressed, which was not asked for')
  // A request that follows a redirect carries the key of its path to a stranger in the Referer, or reaches into our network.
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) throw new RpcFault('garbage', 'a redirect')
  const retryAfterS = parseRetryAfter(response.headers.get('retry-after') ?? undefined, new Date(options.now()))
  const retryAfterMs = retryAfterS === null ? undefined : retryAfterS * 1_000
  if (status === 429) throw new RpcFault('rate_limited', 'HTTP 429', retryAfterMs)
  if (status === 401 || status === 403 || status === 503)
    throw new RpcFault('unreachable', `HTTP ${status}`, retryAfterMs)
  const { text, bytes } = await readText(response, options.mostBytes)
  return { ok, status, json: parseJson(text), bytes }
}

type Text = { readonly text: string; readonly bytes: number }

const readText = async (response: Response, most: number): Promise<Text> => {
  const { headers } = response
  const announced = Number(headers.get('content-length'))
  if (announced > most) throw new RpcFault('too_large')
  // In one go, which takes half as long as piece by piece: no more comes than was announced, unless it comes in chunks.
  // What is no UTF-8 becomes a character that no field of ours may hold.
  if (announced > 0 && !headers.has('transfer-encoding')) return { text: await response.text(), bytes: announced }
  const bytes = await readPieces(response, most)
  return { text: new TextDecoder().decode(bytes), bytes: bytes.byteLength }
}

const readPieces = async (response: Response, most: number): Promise<Uint8Array> => {
  // One array, which grows where it must: a body of single bytes kept as chunks would take a hundred times its size.
  let bytes = new Uint8Array(Math.min(65_536, most))
  let length = 0
  if (!response.body) return bytes.subarray(0, 0)
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytes.subarray(0, length)
    if (length + value.byteLength > most) throw new RpcFault('too_large')
    if (length + value.byteLength > bytes.byteLength) {
      const larger = new Uint8Array(Math.min(most, 2 * (length + value.byteLength)))
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    bytes.set(value, length)
    length += value.byteLength
  }
}

const parseJson = (text: string): unknown => {
  if (text.length > 2 ** 20 && isMadeOfBrackets(text)) throw new RpcFault('garbage', 'hardly anything but brackets')
  try {
    return JSON.parse(text)
  } catch {
    // The error quotes the body. A depth that overflows the stack ends here too.
    return undefined
  }
}

/**
 * 16 MiB of brackets become more than a gigabyte of empty arrays, and seconds in which nothing else runs. No
 * answer we ask for has one in fewer than 35 characters; what is small does no harm and is not looked at.
 */
const isMadeOfBrackets = (text: string): boolean => {
  let brackets = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5b || code === 0x7b) brackets++
  }
  return brackets > text.length / 32
}
