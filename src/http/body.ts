import { type Code, Refusal, refuse } from '../errors.ts'
import { openPatience } from './patience.ts'

const MOST_BYTES = 64 * 1024
const MOST_LEVELS = 32
const PATIENCE_MS = 20_000

/**
 * Reads the body as JSON; undefined when there is none. Nothing is kept of one that is too large, however
 * it arrives, and nobody is waited for without end.
 */
export const openBodyReader = ({ patienceMs = PATIENCE_MS } = {}) => openReader(jsonIn, { patienceMs })

const jsonIn = (bytes: ArrayBuffer, headers: Headers): unknown => {
  if (bytes.byteLength === 0) return undefined
  if (!isJson(headers)) refuse('unsupported_media_type')
  const { value, escapes } = parse(bytes)
  const fault = faultIn(value, escapes)
  if (fault) refuse(fault.code, fault.because)
  return value
}

/** The same of whatever it holds. The bound is on what arrives, not on what is made of it. */
export const openReader = <Read>(
  read: (bytes: ArrayBuffer, headers: Headers) => Read,
  { patienceMs = PATIENCE_MS, mostBytes = MOST_BYTES } = {},
) => {
  const inTime = openPatience(patienceMs, {
    make: read,
    late: () => unfinished('The request body did not arrive in time.'),
    failed: cutShort,
  })

  return (request: Request): Promise<Read> => {
    const { headers } = request
    const length = headers.get('content-length')
    if (length !== null && Number(length) > mostBytes) return Promise.reject(new Refusal('body_too_large'))
    // No more comes than was announced. The body is not asked for as a stream, which costs more than all else here.
    const arriving = length === null ? readPieces(request, mostBytes) : request.arrayBuffer()
    return inTime(arriving, headers)
  }
}

const readPieces = async ({ body }: Request, mostBytes: number): Promise<ArrayBuffer> => {
  const bytes = new Uint8Array(mostBytes)
  let length = 0
  for await (const piece of body ?? []) {
    if (length + piece.length > mostBytes) refuse('body_too_large')
    bytes.set(piece, length)
    length += piece.length
  }
  return bytes.buffer.slice(0, length)
}

const unfinished = (message: string): Refusal => new Refusal('invalid_json', { message, close: true })

const cutShort = (error: unknown): unknown => (error instanceof Refusal ? error : unfinished('The request body is incomplete: the connection ended early.'))

const isJson = (headers: Headers): boolean => {
  const type = headers.get('content-type') ?? ''
  const fits = type === 'application/json' || /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)
  return fits && !headers.has('content-encoding')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** `escapes`: whether a character of its texts is spelled by number. All others were read as UTF-8, and none is a NUL. */
const parse = (bytes: ArrayBuffer): { readonly value: unknown; readonly escapes: boolean } => {
  try {
    const text = utf8.decode(bytes)
    return { value: JSON.parse(text), escapes: text.includes('\\u') }
  } catch {
    // Its words quote the body.
    return refuse('invalid_json')
  }
}

type Fault = { readonly code: Code; readonly because: { readonly param?: string; readonly message?: string } }

/**
 * What JSON can say and nothing below can bear: values nested so deep that a recursion ends, numbers
 * that are read as others, keys that would be prototypes, and text that Postgres does not store. Where
 * it stands is spelled on the way back: nearly always there is nothing to tell.
 */
const faultIn = (value: unknown, escapes: boolean, level = 0): Fault | undefined => {
  if (level > MOST_LEVELS) return { code: 'invalid_json', because: { message: `The request body has more than ${MOST_LEVELS} levels of nesting.` } }
  if (typeof value === 'string')
    return !escapes || isStorable(value) ? undefined : { code: 'parameter_invalid', because: {} }
  if (typeof value === 'number') return isExact(value) ? undefined : { code: 'parameter_invalid', because: {} }
  if (typeof value !== 'object' || value === null) return undefined
  for (const key in value) {
    // Among the body's own fields it is none that is known; within one, such as metadata, it makes that one unfit.
    if (key === '__proto__' || (escapes && !isStorable(key)))
      return { code: level === 0 ? 'parameter_unknown' : 'parameter_invalid', because: {} }
    const fault = faultIn(value[key as keyof typeof value], escapes, level + 1)
    if (fault) return within(key, fault)
  }
  return undefined
}

const within = (key: string, { code, because: { param, message } }: Fault): Fault =>
  message === undefined
    ? { code, because: { param: param === undefined ? key : `${key}.${param}` } }
    : { code, because: { message } }

/** From 2^53 on the number that arrives is not the one that was sent, and 1e309 is no number. */
const isExact = (value: number): boolean => Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER

/** Postgres takes no NUL in a text, and no half of a surrogate pair in JSON. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
