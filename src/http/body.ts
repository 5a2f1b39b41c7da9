import { type Code, Refusal, refuse } from '../errors.ts'
import { openTimeouts } from './patience.ts'

const MOST_BYTES = 64 * 1024
const MOST_LEVELS = 32
const PATIENCE_MS = 20_000

/**
 * Reads the body as JSON; undefined if it is empty. A body that is too large is not kept in memory, with or without a
 * Content-Length, and there is a time limit.
 */
export const openBodyReader = ({ patienceMs = PATIENCE_MS } = {}) => openBytesReader(jsonIn, { patienceMs })

const jsonIn = (bytes: ArrayBuffer, headers: Headers): unknown => {
  if (bytes.byteLength === 0) return undefined
  if (!isJson(headers)) refuse('unsupported_media_type')
  const { value, escapes } = parse(bytes)
  const fault = faultIn(value, escapes)
  if (fault) refuse(fault.code, fault.because)
  return value
}

/** The same for any format. The limit is on the received bytes, not on the parsed value. */
export const openBytesReader = <Read>(
  read: (bytes: ArrayBuffer, headers: Headers) => Read,
  { patienceMs = PATIENCE_MS, mostBytes = MOST_BYTES } = {},
) => {
  const inTime = openTimeouts(patienceMs, {
    make: read,
    late: () => unfinished('The request body did not arrive in time.'),
    failed: cutShort,
  })

  return (request: Request): Promise<Read> => {
    const { headers } = request
    const length = headers.get('content-length')
    if (length !== null && Number(length) > mostBytes) return Promise.reject(tooLarge(mostBytes))
    // The server reads no more than Content-Length. Without it the body is read as a stream, which is more expensive.
    const arriving = length === null ? readPieces(request, mostBytes) : request.arrayBuffer()
    return inTime(arriving, headers)
  }
}

const readPieces = async ({ body }: Request, mostBytes: number): Promise<ArrayBuffer> => {
  const bytes = new Uint8Array(mostBytes)
  let length = 0
  for await (const piece of body ?? []) {
    if (length + piece.length > mostBytes) throw tooLarge(mostBytes)
    bytes.set(piece, length)
    length += piece.length
  }
  return bytes.buffer.slice(0, length)
}

const tooLarge = (mostBytes: number): Refusal =>
  new Refusal('body_too_large', { message: `The request body is larger than ${mostBytes / 1024} KiB.` })

const unfinished = (message: string): Refusal => new Refusal('invalid_json', { message, close: true })

const cutShort = (error: unknown): unknown =>
  error instanceof Refusal ? error : unfinished('The request body is incomplete: the connection ended early.')

const isJson = (headers: Headers): boolean => {
  const type = headers.get('content-type') ?? ''
  const fits = type === 'application/json' || /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)
  return fits && !headers.has('content-encoding')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** `escapes`: whether a string contains a \\u escape. Without one it cannot contain NUL or half a surrogate pair. */
const parse = (bytes: ArrayBuffer): { readonly value: unknown; readonly escapes: boolean } => {
  try {
    const text = utf8.decode(bytes)
    return { value: JSON.parse(text), escapes: text.includes('\\u') }
  } catch {
    // The message of the error quotes the body.
    return refuse('invalid_json')
  }
}

type Fault = { readonly code: Code; readonly because: { readonly param?: string; readonly message?: string } }

/**
 * Finds valid JSON that is not supported: nesting that is too deep for recursion, numbers that lose precision, keys that
 * would be prototypes, and text that Postgres cannot store. The path is built on the way back, because there is nearly
 * always no fault.
 */
const faultIn = (value: unknown, escapes: boolean, level = 0): Fault | undefined => {
  if (level > MOST_LEVELS)
    return {
      code: 'invalid_json',
      because: { message: `The request body has more than ${MOST_LEVELS} levels of nesting.` },
    }
  if (typeof value === 'string')
    return !escapes || isStorable(value) ? undefined : { code: 'parameter_invalid', because: {} }
  if (typeof value === 'number') return isExact(value) ? undefined : { code: 'parameter_invalid', because: {} }
  if (typeof value !== 'object' || value === null) return undefined
  for (const key in value) {
    // At the top level it is an unknown field; inside a field, such as metadata, it makes that field invalid.
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

/** Numbers from 2^53 on lose precision, and 1e309 becomes Infinity. */
const isExact = (value: number): boolean => Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER

/** Postgres stores no NUL in text, and no half of a surrogate pair in JSON. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
