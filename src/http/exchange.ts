import { type Draft, draftOf, draftOfRefusal, refusalOf } from './answer.ts'
import type { Api } from './api.ts'
import { openHeaders } from './headers.ts'
import type { Answer } from './route.ts'
import type { Visit } from './visit.ts'

/** What is done for a request, in the order of checks of the interface: each step only if the one before let it through. */
export type Steps<Caller> = {
  /** Who is calling, if that may be. */
  readonly admit: (visit: Visit) => Caller | Promise<Caller>
  /** What was sent. */
  readonly read?: ((request: Request) => Promise<unknown>) | undefined
  readonly answer: (visit: Visit, caller: Caller, sent: unknown) => Answer | Promise<Answer>
}

/** Whoever it is. */
export const anybody = (): undefined => undefined

/** One request and its answer, whatever happens in between: an id, the headers that every answer has, a line in the log. */
export const exchange = async <Caller>(
  { log, traffic }: Pick<Api, 'log' | 'traffic'>,
  visit: Visit,
  { admit, read, answer }: Steps<Caller>,
): Promise<Response> => {
  const began = performance.now()
  const { request, pattern, requestId } = visit
  let draft: Draft
  try {
    // Each wait is felt by every request: nearly always the caller is known at once, and what only reads has no body.
    const admitted = admit(visit)
    const caller = admitted instanceof Promise ? await admitted : admitted
    const sent = read && (await read(request))
    draft = draftOf(await answer(visit, caller, sent))
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
  return respond(visit, draft)
}

const headersOf = openHeaders()

/** To HEAD with the body too: the server leaves it out, and Elysia counts it for the length, whatever we say of that. */
const respond = ({ request, answerHeaders }: Visit, { status, body, headers: own }: Draft): Response => {
  // What the route has said itself stands.
  for (const name in own) answerHeaders[name] = own[name] ?? ''
  const headers = headersOf(answerHeaders)
  if (!(body instanceof ReadableStream) || request.method !== 'HEAD') return new Response(body, { status, headers })
  // It would go on for nobody.
  void body.cancel()
  return new Response(null, { status, headers })
}
