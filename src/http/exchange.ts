import type { Log } from '../log.ts'
import { type Draft, draftOf, draftOfRefusal, refusalOf } from './answer.ts'
import type { Api } from './api.ts'
import type { Answer } from './route.ts'

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
  work: (seen: Seen) => Promise<Answer>,
): Promise<Response> => {
  const began = performance.now()
  const requestId = crypto.randomUUID()
  // Not Headers, which cost ten times as much: there is one to be filled at the end anyway.
  const answerHeaders: Record<string, string> = {
    'request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
  const draft = await draftFrom(work, { requestId, answerHeaders }, log)
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
  return respond(request, { ...draft, headers: Object.assign(answerHeaders, draft.headers) })
}

const draftFrom = async (work: (seen: Seen) => Promise<Answer>, seen: Seen, log: Log): Promise<Draft> => {
  try {
    return draftOf(await work(seen))
  } catch (error) {
    return draftOfRefusal(refusalOf(error, log, seen.requestId), seen.requestId)
  }
}

/** To HEAD with the body too: the server leaves it out, and Elysia counts it for the length, whatever we say of that. */
const respond = ({ method }: Request, { status, body, headers }: Draft): Response => {
  if (method !== 'HEAD' || !(body instanceof ReadableStream)) return new Response(body, { status, headers })
  // It would go on for nobody.
  void body.cancel()
  return new Response(null, { status, headers })
}
