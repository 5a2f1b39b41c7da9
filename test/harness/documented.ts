import { type } from 'arktype'
import { answersOf } from '../../src/http/openapi/answers.ts'
import type { Route } from '../../src/http/route.ts'
import { strict } from '../../src/http/validate.ts'

type Answered = { readonly status: number; readonly text: string; readonly headers: Headers }

/**
 * Throws unless the interface's document knows this answer: its status, its code, and every field of what it
 * holds. The calls of tests go through here, so that nothing they ever saw is left out of the document.
 */
export const expectDocumented = (routes: readonly Route[], method: string, path: string, answer: Answered): void => {
  const route = routes.find(each => each.method === method && patternOf(each.path).test(path.split('?')[0] ?? ''))
  const fault = route?.docs && faultOf(route, answer)
  if (fault)
    throw new Error(`the document does not know what ${method} ${route.path} answered, ${answer.status}: ${fault}`)
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]*')}$`)

const faultOf = (route: Route, { status, text, headers }: Answered): string | undefined => {
  const answers = answersFor(route)
  const known = answers[status]
  if (!known) return `no such status in ${Object.keys(answers).join(', ')}`
  const examples = known.content?.['application/json']?.examples
  if (examples) {
    const { code } = JSON.parse(text).error
    return code in examples ? undefined : `no ${code} in ${Object.keys(examples).join(', ')}`
  }
  const said = Object.entries(route.docs?.answers ?? {}).find(([each]) => each === String(status))?.[1]
  if (said === null) return text === '' ? undefined : 'a body where there should be none'
  if (said && typeof said === 'object' && 'events' in said)
    return headers.get('content-type') === 'text/event-stream' ? undefined : 'no events'
  if (said && typeof said === 'object' && 'plain' in said)
    return headers.get('content-type')?.startsWith('text/plain') ? undefined : 'no plain text'
  if (typeof said === 'string') return headers.get('content-type')?.startsWith('text/html') ? undefined : 'no page'
  const parsed = said && strict(said.type)(JSON.parse(text))
  return parsed instanceof type.errors ? parsed.summary : undefined
}

/** Made once for each route: some tests ask a thousand times. */
const answersFor = (route: Route) => {
  const made = answersByRoute.get(route) ?? answersOf(route)
  answersByRoute.set(route, made)
  return made
}

const answersByRoute = new Map<Route, ReturnType<typeof answersOf>>()
