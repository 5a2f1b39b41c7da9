import { Refusal, refuse } from '../errors.ts'

const MOST_BYTES = 64 * 1024
const MOST_LEVELS = 32
const PATIENCE_MS = 20_000

/** The body as JSON; undefined when there is none. Nothing is kept of one that is too large, however it arrives. */
export const readBody = async (request: Request, { patienceMs = PATIENCE_MS } = {}): Promise<unknown> => {
  const announced = Number(request.headers.get('content-length') ?? MOST_BYTES)
  if (announced > MOST_BYTES) refuse('body_too_large')
  const bytes = await read(request, announced, patienceMs)
  if (bytes.length === 0) return undefined
  if (!isJson(request.headers)) refuse('unsupported_media_type')
  const value = parse(bytes)
  inspect(value)
  return value
}

const read = async (request: Request, most: number, patienceMs: number): Promise<Uint8Array> => {
  const reader = request.body?.getReader()
  if (!reader) return new Uint8Array()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Refusal('invalid_json', { message: 'The body took too long.' })),
    patienceMs,
  )
  const bytes = new Uint8Array(most)
  let length = 0
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.promise])
      if (done) return bytes.subarray(0, length)
      if (length + value.length > most) refuse('body_too_large')
      bytes.set(value, length)
      length += value.length
    }
  } catch (error) {
    reader.cancel().catch(() => {})
    if (error instanceof Refusal) throw error
    // The caller hung up.
    throw new Refusal('invalid_json', { message: 'The body ended early.' })
  } finally {
    clearTimeout(timer)
  }
}

const isJson = (headers: Headers): boolean => {
  if (headers.has('content-encoding')) return false
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(headers.get('content-type') ?? '')
}

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // Its words quote the body.
    return refuse('invalid_json')
  }
}

/**
 * What JSON can say and nothing below can bear: values nested so deep that a recursion ends, numbers
 * that are read as others, keys that would be prototypes, and text that Postgres does not store.
 */
const inspect = (body: unknown): void => {
  const waiting: { value: unknown; path: readonly string[] }[] = [{ value: body, path: [] }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path } = next
    const param = path.join('.')
    if (path.length > MOST_LEVELS) refuse('invalid_json', { message: 'The body is nested too deep.' })
    if (typeof value === 'number' && !isExact(value)) refuse('parameter_invalid', { param })
    if (typeof value === 'string' && !isStorable(value)) refuse('parameter_invalid', { param })
    if (typeof value !== 'object' || value === null) continue
    for (const [key, inner] of Object.entries(value)) {
      if (key === '__proto__' || !isStorable(key)) refuse('parameter_unknown', path.length > 0 ? { param } : {})
      waiting.push({ value: inner, path: [...path, key] })
    }
  }
}

/** From 2^53 on the number that arrives is not the one that was sent, and 1e309 is no number. */
const isExact = (value: number): boolean => Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER

/** Postgres takes no NUL in a text, and no half of a surrogate pair in JSON. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
