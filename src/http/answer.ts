import { Unavailable } from '../actors/command.ts'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import type { HeaderFields } from '../pages/answer.ts'
import { isTransient } from '../postgres/errors.ts'
import type { Answer } from './route.ts'
import type { AcceptSocket } from './sockets.ts'

/** A response before the common headers are added. */
export type Draft = {
  readonly status: number
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream | null
  readonly headers: HeaderFields
  readonly accept?: AcceptSocket
  readonly mayPause?: true
}

export const draftOf = (answer: Answer): Draft => {
  const { status, headers = NONE } = answer
  if ('text' in answer) return { status, body: answer.text, headers, ...(answer.mayPause && { mayPause: true }) }
  if (answer.accept) return { status, body: null, headers, accept: answer.accept }
  if (answer.body === undefined) return { status, body: null, headers }
  return {
    status,
    body: JSON.stringify(answer.body),
    headers: headers === NONE ? JSON_TYPE : { ...JSON_TYPE, ...headers },
  }
}

const NONE: HeaderFields = {}

export const draftOfRefusal = (refusal: Refusal, requestId: string): Draft => {
  const { status, type, code, message } = refusal
  const { param, details, retryAfter, quota, close } = refusal.because
  const headers: Record<string, string> = { ...JSON_TYPE }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  if (close) headers.connection = 'close'
  if (retryAfter !== undefined) {
    const seconds = String(Math.max(1, Math.ceil(retryAfter)))
    headers['retry-after'] = seconds
    if (quota) {
      headers.ratelimit = `"attempts";r=0;t=${seconds}`
      headers['ratelimit-policy'] = `"attempts";q=${quota.allowed};w=${quota.seconds}`
    }
  }
  const error = {
    type,
    code,
    message,
    ...(param !== undefined && { param }),
    ...(details && { details }),
    requestId,
  }
  return { status, body: JSON.stringify({ error }), headers }
}

export const JSON_TYPE: HeaderFields = { 'content-type': 'application/json' }

/** The error response for an exception. The details of a fault are written to the log only. */
export const refusalOf = (error: unknown, log: Log, requestId: string): Refusal => {
  if (error instanceof Refusal) return error
  const away = error instanceof Unavailable || isTransient(error)
  const fault = faultOf(error)
  if (away) log.warn({ requestId, fault }, 'request failed, database unreachable')
  else log.error({ requestId, fault }, 'request failed')
  return away ? new Refusal('service_unavailable', { retryAfter: 1 }) : new Refusal('internal_error')
}

type Fault = { name: string; message?: string; code?: string; constraint?: string; stack?: string; cause?: Fault }

/** Only selected fields: an error of the database contains the affected rows. */
const faultOf = (error: unknown, depth = 0): Fault => {
  if (!(error instanceof Error)) return { name: typeof error }
  const { name, stack } = error
  const code = textOf(error, 'code')
  const constraint = textOf(error, 'constraint_name')
  return {
    name,
    // The messages of these errors quote the input.
    ...(!(error instanceof SyntaxError || code?.startsWith('22')) && { message: error.message }),
    ...(code && { code }),
    ...(constraint && { constraint }),
    ...(stack && { stack: stack.slice(stack.search(/^\s*(at |\S*@)/m)) }),
    ...(error.cause !== undefined && depth < 4 && { cause: faultOf(error.cause, depth + 1) }),
  }
}

const textOf = (error: object, field: string): string | undefined => {
  const value = new Map(Object.entries(error)).get(field)
  return typeof value === 'string' ? value : undefined
}
