import { type } from 'arktype'
import { answersOf } from '../../src/http/openapi/answers.ts'
import type { Route } from '../../src/http/route.ts'
import { strict } from '../../src/http/validate.ts'

type Answered = { readonly status: number; readonly text: string; readonly headers: Headers }

/**
 * Throws unless the OpenAPI document describes this response: its status, its error code, and every field of its
 * body. All API calls of tests pass through here, so the document lists every response that a test has seen.
 */
export const expectDocumented = (routes: readonly Route[], method: string, path: string, answer: Answered): void => {
  const route = routes.find(each => each.method === method && patternOf(each.path).test(path.split('?')[0] ?? ''))
  const fault = route?.docs && faultOf(route, answer)
  if (fault) throw new Error(`the document lacks the response of ${method} ${route.path}, ${answer.status}: ${fault}`)
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]*')}$`)

const faultOf = (route: Route, { status, text, headers }: Answered): string | undefined => {
  const answers = answersFor(route)
  const documented = answers[status]
  if (!documented) return `no such status in ${Object.keys(answers).join(', ')}`
  const examples = documented.content?.['application/json']?.examples
  const isPage = headers.get('content-type')?.startsWith('text/html') ?? false
  if (examples && isPage) return documented.content?.['text/html'] ? undefined : 'a page'
  if (examples) {
    const { code } = JSON.parse(text).error
    return code in examples ? undefined : `no ${code} in ${Object.keys(examples).join(', ')}`
  }
  const declared = Object.entries(route.docs?.answers ?? {}).find(([each]) => each === String(status))?.[1]
  if (declared === null) return text === '' ? undefined : 'a body where there should be none'
  if (declared && typeof declared === 'object' && 'events' in declared)
    return headers.get('content-type') === 'text/event-stream' ? undefined : 'no events'
  if (declared && typeof declared === 'object' && 'plain' in declared)
    return headers.get('content-type')?.startsWith('text/plain') ? undefined : 'no plain text'
  if (declared && typeof declared === 'object' && 'file' in declared) return undefined
  if (typeof declared === 'string') return isPage ? undefined : 'no page'
  const parsed = declared && strict(declared.type())(JSON.parse(text))
  return parsed instanceof type.errors ? parsed.summary : undefined
}

/** Cached per route: some tests send a thousand requests. */
const answersFor = (route: Route) => {
  const made = answersByRoute.get(route) ?? answersOf(route)
  answersByRoute.set(route, made)
  return made
}

const answersByRoute = new Map<Route, ReturnType<typeof answersOf>>()
