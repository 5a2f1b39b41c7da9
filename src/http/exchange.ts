import { type Draft, draftOf, draftOfRefusal, refusalOf } from './answer.ts'
import type { Api } from './api.ts'
import type { Answer, HeaderFields } from './route.ts'

export type Seen = {
  readonly requestId: string
  /** Go out with whatever is answered, a refusal too. Names in lower case. */
  readonly answerHeaders: Record<string, string>
}

type Asked = { readonly request: Request; readonly pattern: string | undefined }

/** One request and its answer, whatever happens in between: an id, the headers that every answer has, a line in the log. */
export const exchange = async (
  { log, traffic }: Pick<Api, 'log' | 'traffic'>,
  { request, pattern }: Asked,
  work: (seen: Seen) => Answer | Promise<Answer>,
): Promise<Response> => {
  const began = performance.now()
  const requestId = crypto.randomUUID()
  // Not Headers, which cost ten times as much: there is one to be filled at the end anyway.
  const answerHeaders: Record<string, string> = {
    'request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
  let draft: Draft
  try {
    draft = draftOf(await work({ requestId, answerHeaders }))
  } catch (error) {
    draft = draftOfRefusal(refusalOf(error, log, requestId), requestId)
  }
  // Neither query nor body nor headers: secrets travel in all three.
  const ms = Math.round((performance.now() - began) * 10) / 10
  log.debug({ requestId, method: request.method, route: pattern, status: draft.status, ms }, 'answered')
  // Methods are made up as paths are, and what nobody has made up is not to grow the books.
  traffic.note(
    pattern ?? 'none',
    pattern === undefined || draft.status === 405 ? 'any' : request.method,
    draft.status,
    ms,
  )
  // What the route has said itself stands.
  for (const name in draft.headers) answerHeaders[name] = draft.headers[name] ?? ''
  return respond(request, draft, answerHeaders)
}

/** To HEAD with the body too: the server leaves it out, and Elysia counts it for the length, whatever we say of that. */
const respond = (request: Request, { status, body }: Draft, headers: HeaderFields): Response => {
  if (!(body instanceof ReadableStream) || request.method !== 'HEAD') return new Response(body, { status, headers })
  // It would go on for nobody.
  void body.cancel()
  return new Response(null, { status, headers })
}
