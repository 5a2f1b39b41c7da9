import { type Code, Refusal } from '../../errors.ts'
import type { Shape } from '../../fields/shape.ts'
import type { DocumentedAnswer, EventStream } from '../docs/docs.ts'
import type { Route } from '../route.ts'
import { refusalsOf, statusOf, takesIdempotencyKey } from './refusals.ts'
import type { Schema } from './schema.ts'

export type AnswerObject = {
  readonly description: string
  readonly headers: Schema
  readonly content?: {
    readonly '*/*'?: { readonly schema: Schema }
    readonly 'text/html'?: { readonly schema: Schema }
    readonly 'text/plain'?: { readonly schema: Schema; readonly example: string }
    readonly 'text/event-stream'?: { readonly schema: Schema; readonly example: string }
    readonly 'application/json'?: {
      readonly schema: Schema
      readonly example?: unknown
      readonly examples?: Readonly<Record<string, Schema>>
    }
  }
}

/** All responses of a route, by status. */
export const answersOf = (route: Route): Readonly<Record<string, AnswerObject>> => {
  const refusals = Map.groupBy(refusalsOf(route), statusOf)
  return {
    ...Object.fromEntries([...refusals].map(([status, codes]) => [status, refusal(route, status, codes)])),
    // Last, because a response that the route declares replaces the error of the same status.
    ...Object.fromEntries(
      Object.entries(route.docs?.answers ?? {}).map(([status, answer]) => [status, success(route, status, answer)]),
    ),
  }
}

const success = (route: Route, status: string, answer: DocumentedAnswer | null): AnswerObject => ({
  description: descriptionOf(answer) ?? reasons[status] ?? 'Success.',
  headers: headersOf(route, Number(status)),
  ...(answer !== null && { content: contentOf(answer) }),
})

const descriptionOf = (answer: DocumentedAnswer | null): string | undefined => {
  if (typeof answer === 'string') return answer
  return answer && 'file' in answer ? answer.file : undefined
}

const reasons: Readonly<Record<string, string>> = {
  101: 'The WebSocket is open.',
  200: 'Success.',
  201: 'Created.',
  204: 'Success. The response has no body.',
  303: 'Success. `Location` is the next page.',
}

const page = { 'text/html': { schema: { type: 'string' } } }

const contentOf = (answer: DocumentedAnswer): NonNullable<AnswerObject['content']> => {
  if (typeof answer === 'string') return page
  if ('plain' in answer) return { 'text/plain': { schema: { type: 'string' }, example: answer.plain } }
  if ('file' in answer) return { '*/*': { schema: { type: 'string', format: 'binary' } } }
  return 'events' in answer ? streamOf(answer) : bodyOf(answer)
}

const streamOf = ({ events: { name, example }, event }: EventStream) => ({
  'text/event-stream': {
    schema: {
      type: 'string',
      description: `Server-sent events. The data of each event is a ${name}.`,
      contentMediaType: 'text/event-stream',
      contentSchema: { $ref: `#/components/schemas/${name}` },
    },
    example: `id: 3-1-5f0c2d9a77e1\nevent: ${event}\ndata: ${JSON.stringify(example)}\n\n`,
  },
})

const bodyOf = ({ name, example }: Shape) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` }, example },
})

const refusal = (route: Route, status: number, codes: readonly Code[]): AnswerObject => ({
  description: codes.map(code => `- \`${code}\`: ${new Refusal(code).message}`).join('\n'),
  headers: headersOf(route, status),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: Object.fromEntries(codes.map(code => [code, { $ref: `#/components/examples/${code}` }])),
    },
    // For requests whose `Accept` prefers it.
    ...(route.page && page),
  },
})

/** References by name: each header is described once, in the components. */
const headersOf = (route: Route, status: number): Schema => {
  const { access } = route
  const known = access.by === 'key' && status !== 401
  // Checkout requests are counted before any other check; keys and sessions after authentication. Every 429 has the fields.
  const customers = access.by === 'anybody' && access.checkout === true
  const sessions = access.by === 'session' || access.by === 'member' || access.by === 'operator'
  const counted = known || sessions || customers || status === 429
  const names = [
    'Request-Id',
    ...(counted ? ['RateLimit', 'RateLimit-Policy'] : []),
    ...(known ? ['Service-Version'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(status < 300 && takesIdempotencyKey(route) ? ['Idempotent-Replayed'] : []),
  ]
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
