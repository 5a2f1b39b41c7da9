import { type CallName, type Calls, calls } from './calls.ts'
import { reportReached, reportUnreachable } from './connection.ts'

/** An error response of the API, or no response at all: `unreachable`. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly status: number
  readonly param: string | undefined
  readonly details: Readonly<Record<string, unknown>>
  /** With it the operator finds the request in the log. */
  readonly requestId: string | undefined
  /** Seconds to wait, of a 429 and a 503. */
  readonly retryAfterS: number | undefined

  constructor(code: string, { status = 0, message = code, param, details = {}, requestId, retryAfterS }: ErrorFacts) {
    super(message)
    this.code = code
    this.status = status
    this.param = param
    this.details = details
    this.requestId = requestId
    this.retryAfterS = retryAfterS
  }
}

type ErrorFacts = {
  readonly status?: number
  readonly message?: string
  readonly param?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly requestId?: string
  readonly retryAfterS?: number
}

export type RequestOptions = {
  readonly bearer?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** The body, of calls that send a file. */
  readonly file?: Blob | undefined
}

const PATIENCE_MS = 20_000

/** Sends one request. Rejects with an ApiError unless the response is a success. */
export const send = <Name extends CallName>(
  name: Name,
  input: Calls[Name]['input'],
  options?: RequestOptions,
): Promise<Calls[Name]['output']> =>
  // The compiler has the types from the document of the API, which a test compares with the server.
  sendAs(calls[name], { ...input }, options) as Promise<Calls[Name]['output']>

/** `call`: the method, the path and the parameters of the query, as in a table of calls. */
export const sendAs = async (
  call: string,
  input: Readonly<Record<string, unknown>>,
  options?: RequestOptions,
): Promise<unknown> => {
  const response = await respond(call, input, options)
  return response.status === 204 ? undefined : await readBody(response, 'json')
}

/** Reads a file, such as the document of an invoice. */
export const readFile = async <Name extends CallName>(
  name: Name,
  input: Calls[Name]['input'],
  options?: RequestOptions,
): Promise<Blob> => readBody(await respond(calls[name], { ...input }, options), 'blob')

const respond = async (
  call: string,
  input: Readonly<Record<string, unknown>>,
  { bearer, signal, file }: RequestOptions = {},
): Promise<Response> => {
  const { method, url, body: json, idempotencyKey } = requestFor(call, input)
  const body = file ?? json
  const response = await reach(url, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': file?.type ?? 'application/json' }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])]),
  })
  if (response.ok) return response
  throw await errorOf(response)
}

/** Opens an event stream. It has no timeout: it ends by its signal. */
export const openStream = async (
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> => {
  const response = await reach(path, { headers: { accept: 'text/event-stream', ...headers }, signal })
  if (response.ok && response.body) return response.body
  throw await errorOf(response)
}

const reach = async (url: string, init: RequestInit): Promise<Response> => {
  try {
    const response = await fetch(url, { cache: 'no-store', credentials: 'same-origin', ...init })
    reportReached()
    return response
  } catch (error) {
    // Aborted by the caller: not a failure of the server.
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    reportUnreachable()
    throw new ApiError('unreachable', {})
  }
}

const readBody = async <Kind extends 'json' | 'blob'>(
  response: Response,
  kind: Kind,
): Promise<Awaited<ReturnType<Response[Kind]>>> => {
  try {
    return await response[kind]()
  } catch {
    throw new ApiError('unreachable', { status: response.status })
  }
}

const errorOf = async (response: Response): Promise<ApiError> => {
  const { status, headers } = response
  const retryAfterS = Number(headers.get('retry-after')) || undefined
  const { error }: { error?: ErrorFacts & { readonly code?: string } } = await response.json().catch(() => ({}))
  return new ApiError(error?.code ?? 'unreachable', {
    ...error,
    status,
    ...(retryAfterS !== undefined && { retryAfterS }),
  })
}

type Sent = {
  readonly method: string
  readonly url: string
  readonly body: string | undefined
  readonly idempotencyKey: string | undefined
}

/** Distributes the fields of an input over path, query, header and body. */
export const requestFor = (call: string, { idempotencyKey, ...input }: Record<string, unknown>): Sent => {
  const [method = '', target = ''] = call.split(' ')
  const [pattern = '', names] = target.split('?')
  const take = (field: string): unknown => {
    const value = input[field]
    delete input[field]
    return value
  }
  const path = pattern.replace(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(take(field))))
  const query = new URLSearchParams()
  for (const field of names?.split('&') ?? []) {
    const value = take(field)
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) query.append(field, String(each))
  }
  return {
    method,
    url: query.size > 0 ? `${path}?${query}` : path,
    body: method === 'GET' || method === 'DELETE' ? undefined : JSON.stringify(input),
    idempotencyKey: idempotencyKey === undefined ? undefined : String(idempotencyKey),
  }
}
