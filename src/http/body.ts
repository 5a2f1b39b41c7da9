import { Refusal, refuse } from '../errors.ts'

const MOST_BYTES = 64 * 1024
const MOST_LEVELS = 32
const PATIENCE_MS = 20_000

/** The body as JSON; undefined when there is none. Nothing is kept of one that is too large, however it arrives. */
export const readBody = async (request: Request, { patienceMs = PATIENCE_MS } = {}): Promise<unknown> => {
  const length = request.headers.get('content-length')
  if (length !== null && Number(length) > MOST_BYTES) refuse('body_too_large')
  const stream = request.body
  if (!stream) return undefined
  // No more comes than was announced, and at once it costs a fifth of what it does piece by piece.
  const bytes = await (length === null
    ? readPieces(stream, patienceMs)
    : inTime(request.arrayBuffer().then(whole), patienceMs))
  if (bytes.length === 0) return undefined
  if (!isJson(request.headers)) refuse('unsupported_media_type')
  const value = parse(bytes)
  inspect(value)
  return value
}

const whole = (buffer: ArrayBuffer): Uint8Array => new Uint8Array(buffer)

const readPieces = async (stream: ReadableStream<Uint8Array>, patienceMs: number): Promise<Uint8Array> => {
  const reader = stream.getReader()
  const bytes = new Uint8Array(MOST_BYTES)
  const fill = async (): Promise<Uint8Array> => {
    for (let length = 0; ; ) {
      const { done, value } = await reader.read()
      if (done) return bytes.subarray(0, length)
      if (length + value.length > MOST_BYTES) refuse('body_too_large')
      bytes.set(value, length)
      length += value.length
    }
  }
  try {
    return await inTime(fill(), patienceMs)
  } catch (error) {
    reader.cancel().catch(() => {})
    throw error
  }
}

/** Nobody is waited for without end. */
const inTime = async (arriving: Promise<Uint8Array>, patienceMs: number): Promise<Uint8Array> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(unfinished('The body took too long.')), patienceMs)
  try {
    return await Promise.race([arriving, late.promise])
  } catch (error) {
    // What is no refusal of ours is a caller who hung up.
    throw error instanceof Refusal ? error : unfinished('The body ended early.')
  } finally {
    clearTimeout(timer)
  }
}

const unfinished = (message: string): Refusal => new Refusal('invalid_json', { message })

const isJson = (headers: Headers): boolean => {
  if (headers.has('content-encoding')) return false
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(headers.get('content-type') ?? '')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    // Its words quote the body.
    return refuse('invalid_json')
  }
}

/**
 * What JSON can say and nothing below can bear: values nested so deep that a recursion ends, numbers
 * that are read as others, keys that would be prototypes, and text that Postgres does not store.
 */
const inspect = (value: unknown, at?: Place): void => {
  if (at && at.level > MOST_LEVELS) refuse('invalid_json', { message: 'The body is nested too deep.' })
  if (typeof value === 'number' && !isExact(value)) refuse('parameter_invalid', { param: pathOf(at) })
  if (typeof value === 'string' && !isStorable(value)) refuse('parameter_invalid', { param: pathOf(at) })
  if (typeof value !== 'object' || value === null) return
  const level = (at?.level ?? 0) + 1
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__' || !isStorable(key)) refuse('parameter_unknown', at ? { param: pathOf(at) } : {})
    inspect(inner, { key, level, within: at })
  }
}

/** Where a value stands; spelled out only for who must be told. */
type Place = { readonly key: string; readonly level: number; readonly within: Place | undefined }

const pathOf = (at: Place | undefined): string => {
  if (!at) return ''
  return at.within ? `${pathOf(at.within)}.${at.key}` : at.key
}

/** From 2^53 on the number that arrives is not the one that was sent, and 1e309 is no number. */
const isExact = (value: number): boolean => Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER

/** Postgres takes no NUL in a text, and no half of a surrogate pair in JSON. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
