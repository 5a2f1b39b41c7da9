import type { Log } from '../log.ts'
import { type Draft, draftOf, draftOfRefusal, refusalOf } from './answer.ts'
import type { Answer } from './route.ts'

export type Seen = {
  readonly requestId: string
  /** Go out with whatever is answered, a refusal too. Names in lower case. */
  readonly answerHeaders: Map<string, string>
}

type Asked = { readonly request: Request; readonly pattern: string | undefined }

/** One request and its answer, whatever happens in between: an id, the headers that every answer has, a line in the log. */
export const exchange = async (
  log: Log,
  { request, pattern }: Asked,
  work: (seen: Seen) => Promise<Answer>,
): Promise<Response> => {
  const began = performance.now()
  const requestId = crypto.randomUUID()
  // A Map, since Headers cost ten times as much and there is one to be filled at the end anyway.
  const answerHeaders = new Map([
    ['request-id', requestId],
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
  ])
  const draft = await work({ requestId, answerHeaders })
    .then(draftOf)
    .catch(error => draftOfRefusal(refusalOf(error, log, requestId), requestId))
  const { status, headers } = draft
  // What the route has said itself stands.
  for (const [name, value] of answerHeaders) if (!headers.has(name)) headers.set(name, value)
  // Neither query nor body nor headers: secrets travel in all three.
  const ms = Math.round((performance.now() - began) * 10) / 10
  log.debug({ requestId, method: request.method, route: pattern, status, ms }, 'answered')
  return respond(request, draft)
}

const respond = ({ method }: Request, { status, body, headers }: Draft): Response => {
  if (method !== 'HEAD') return new Response(body, { status, headers })
  // Or a stream would go on for nobody.
  if (body instanceof ReadableStream) void body.cancel()
  if (typeof body === 'string') headers.set('content-length', String(Buffer.byteLength(body)))
  return new Response(null, { status, headers })
}
