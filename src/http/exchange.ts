import type { Refusal } from '../errors.ts'
import type { WholeText } from '../pages/answer.ts'
import { type Draft, draftOf, draftOfRefusal, refusalOf } from './answer.ts'
import type { Api } from './api.ts'
import { openHeaders } from './headers.ts'
import type { Answer } from './route.ts'
import { upgradeResponse } from './sockets.ts'
import { streamed } from './streamed.ts'
import type { Visit } from './visit.ts'

/** The steps of a request, in the documented order of checks. A step runs only if the previous one has succeeded. */
export type Steps<Caller> = {
  /** Authenticates and authorizes the caller. */
  readonly admit: (visit: Visit) => Caller | Promise<Caller>
  /** Reads the body. */
  readonly read?: ((request: Request) => Promise<unknown>) | undefined
  /** Checks query and body (`sent`), and does what is requested. */
  readonly answer: (visit: Visit, caller: Caller, sent: unknown) => Answer | Promise<Answer>
  /** The page of an error for a browser; undefined for other clients. */
  readonly refused?: (refusal: Refusal, visit: Visit) => WholeText | undefined
}

/** No authentication. */
export const anybody = (): undefined => undefined

/** Handles one request: request ID, common headers and a log line, whatever the result is. */
export const exchange = async <Caller>(
  { log, traffic }: Pick<Api, 'log' | 'traffic'>,
  visit: Visit,
  { admit, read, answer, refused }: Steps<Caller>,
): Promise<Response> => {
  const began = performance.now()
  const { request, pattern, requestId } = visit
  let draft: Draft
  try {
    // `await` only where needed, because it costs every request: the caller is nearly always cached, and a GET has no body.
    const admitted = admit(visit)
    const caller = admitted instanceof Promise ? await admitted : admitted
    const sent = read && (await read(request))
    draft = draftOf(await answer(visit, caller, sent))
  } catch (error) {
    const refusal = refusalOf(error, log, requestId)
    const { headers, ...json } = draftOfRefusal(refusal, requestId)
    const page = refused?.(refusal, visit)
    draft = page ? { ...json, body: page.text, headers: { ...headers, ...page.headers } } : { ...json, headers }
  }
  // The line omits query, body and headers, because all three can contain secrets.
  const ms = Math.round((performance.now() - began) * 10) / 10
  log.debug({ requestId, method: request.method, route: pattern, status: draft.status, ms }, 'request answered')
  // Unknown paths share one entry, and unknown methods another: clients can invent any number, which must not fill the memory.
  traffic.note(
    pattern ?? 'none',
    pattern === undefined || draft.status === 405 ? 'any' : request.method,
    draft.status,
    ms,
  )
  return respond(visit, draft)
}

const headersOf = openHeaders()

/** With a body for HEAD too: the server removes it, and Elysia uses it for the Content-Length. */
const respond = (
  { request, answerHeaders, door }: Visit,
  { status, body, headers: draftHeaders, accept, mayPause }: Draft,
): Response => {
  if (accept) return upgradeResponse(accept)
  // The route's own headers replace common ones of the same name.
  for (const name in draftHeaders) answerHeaders[name] = draftHeaders[name] ?? ''
  const headers = headersOf(answerHeaders)
  if (!(body instanceof ReadableStream)) return new Response(body, { status, headers })
  if (mayPause) door?.keepOpen(request)
  if (request.method !== 'HEAD') return streamed(new Response(body, { status, headers }))
  // A stream would continue without a client.
  void body.cancel()
  return new Response(null, { status, headers })
}
