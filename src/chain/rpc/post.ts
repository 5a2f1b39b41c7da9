import { Buffer } from 'node:buffer'
import { parseRetryAfter } from '../../retry-after.ts'
import { RpcFault } from './rpc.ts'

export type PostTarget = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: the node is reached directly. Proxy variables of the environment are ignored. */
  readonly proxy: string | undefined
}

export type PostOptions = {
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal: AbortSignal | undefined
  readonly closed: AbortSignal
  /** The wall clock, to parse a Retry-After that is a date. */
  readonly now: () => number
}

export type Posted = {
  readonly ok: boolean
  readonly status: number
  /** Undefined when the body was not JSON. */
  readonly json: unknown
  readonly bytes: number
}

/** Moves a password from the URL into a header: fetch refuses such a URL and shows it in the error. */
export const targetOf = (url: string, proxy?: string): PostTarget => {
  const { username, password } = new URL(url)
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'accept-encoding': 'identity' }
  if (!username && !password) return { url, headers, proxy }
  const withoutPassword = new URL(url)
  withoutPassword.username = ''
  withoutPassword.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  return { url: withoutPassword.href, headers: { ...headers, authorization }, proxy }
}

/**
 * Sends one POST. The timeout includes reading the body: a body that arrives byte by byte would otherwise never end.
 */
export const post = async (target: PostTarget, body: string, options: PostOptions): Promise<Posted> => {
  options.signal?.throwIfAborted()
  const { timeoutMs, closed, signal } = options
  const aborting = new AbortController()
  const end = () => aborting.abort()
  let hasTimedOut = false
  const timer = setTimeout(() => {
    hasTimedOut = true
    end()
  }, timeoutMs)
  closed.addEventListener('abort', end)
  signal?.addEventListener('abort', end)
  try {
    return await exchange(target, body, options, aborting.signal)
  } catch (error) {
    // Closes the connection where the answer was not read to its end.
    end()
    signal?.throwIfAborted()
    if (error instanceof RpcFault) throw error
    throw new RpcFault(hasTimedOut ? 'timeout' : 'unreachable')
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
  // Bun decompresses before the size is checked: a kilobyte of brotli took 1.3 GB. Other runtimes ignore the option.
  // Bun also sends requests, with the keys in their URLs, to the proxy of HTTP_PROXY or HTTPS_PROXY unless `proxy` is
  // false.
  const bunOptions = { decompress: false, proxy: proxy ?? false }
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal, ...bunOptions })
  const { status, ok } = response
  if ((response.headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw new RpcFault('garbage', 'unrequested compression')
  // Redirects are not followed: the Referer would show the key of the path to another host, and the target may be in
  // our network.
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) throw new RpcFault('garbage', 'a redirect')
  const retryAfterS = parseRetryAfter(response.headers.get('retry-after') ?? undefined, new Date(options.now()))
  const retryAfterMs = retryAfterS === null ? undefined : retryAfterS * 1_000
  if (status === 429) throw new RpcFault('rate_limited', 'HTTP 429', retryAfterMs)
  if (status === 401 || status === 403 || status === 503)
    throw new RpcFault('unreachable', `HTTP ${status}`, retryAfterMs)
  const { text, bytes } = await readText(response, options.maxBytes)
  return { ok, status, json: parseJson(text), bytes }
}

type Text = { readonly text: string; readonly bytes: number }

const readText = async (response: Response, maxBytes: number): Promise<Text> => {
  const { headers } = response
  const announced = Number(headers.get('content-length'))
  if (announced > maxBytes) throw new RpcFault('too_large')
  // Read in one call, which takes half as long as chunk by chunk: without chunked encoding the body is not longer than
  // announced. Invalid UTF-8 becomes a character that no parsed field accepts.
  if (announced > 0 && !headers.has('transfer-encoding')) return { text: await response.text(), bytes: announced }
  const bytes = await readChunks(response, maxBytes)
  return { text: new TextDecoder().decode(bytes), bytes: bytes.byteLength }
}

const readChunks = async (response: Response, most: number): Promise<Uint8Array> => {
  // One growing array: a body that arrives as single bytes, kept as chunks, would take a hundred times its size.
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
  if (text.length > 2 ** 20 && isMadeOfBrackets(text)) throw new RpcFault('garbage', 'mostly brackets')
  try {
    return JSON.parse(text)
  } catch {
    // The error would quote the body. A nesting that overflows the stack ends here too.
    return undefined
  }
}

/**
 * 16 MiB of brackets parse to more than a gigabyte of empty arrays and block the process for seconds. No expected
 * answer has more than one bracket in 35 characters. Small bodies are harmless and not checked.
 */
const isMadeOfBrackets = (text: string): boolean => {
  let brackets = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5b || code === 0x7b) brackets++
  }
  return brackets > text.length / 32
}
