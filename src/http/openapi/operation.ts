import type { Route, Upload } from '../route.ts'
import { type AnswerObject, answersOf } from './answers.ts'
import { type Parameter, parametersOf } from './parameters.ts'
import { type Schema, schemaOf } from './schema.ts'
import { tagOf } from './tags.ts'

export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly Schema[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, AnswerObject>>
}

type RequestBody = {
  readonly required: boolean
  /** By media type. */
  readonly content: Readonly<Record<string, Sent>>
}

type Sent = { readonly schema: Schema; readonly example?: unknown }

/** The operation of one route. The others are needed to give it a unique name. */
export const operationOf = (route: Route, routes: readonly Route[]): Operation => {
  const { docs } = route
  if (!docs) throw new TypeError(`cannot document ${route.method} ${route.path}: it declares no docs`)
  return {
    operationId: nameOf(route, docs.operation, routes),
    summary: docs.summary,
    description: [accessOf(route), docs.description].filter(Boolean).join('\n\n'),
    tags: [tagOf(route).name],
    security: securityOf(route),
    parameters: parametersOf(route),
    ...(route.body && { requestBody: bodyOf(route.body, docs, route.form) }),
    ...(route.upload && { requestBody: fileOf(route.upload, docs) }),
    responses: answersOf(route),
  }
}

/** If API keys and members have the same operation, the one for members gets a suffix. */
const nameOf = ({ access }: Route, operation: string, routes: readonly Route[]): string => {
  const isTwin = routes.some(({ docs, access: { by } }) => docs?.operation === operation && by === 'key')
  return access.by === 'member' && isTwin ? `${operation}AsMember` : operation
}

const bodyOf = (
  body: NonNullable<Route['body']>,
  { operation, example }: NonNullable<Route['docs']>,
  form: Route['form'],
): RequestBody => ({
  required: Array.isArray(schemaOf(body).required),
  content: {
    [form ? 'application/x-www-form-urlencoded' : 'application/json']: {
      schema: { $ref: `#/components/schemas/${bodyName(operation)}` },
      ...(example !== undefined && { example }),
    },
  },
})

const fileOf = ({ types }: Upload, { example }: NonNullable<Route['docs']>): RequestBody => ({
  required: true,
  content: Object.fromEntries(
    types.map(type => [type, type === 'application/json' ? { schema: {}, example } : { schema: FILE }]),
  ),
})

const FILE: Schema = { type: 'string', format: 'binary' }

const accessOf = ({ access }: Route): string | undefined => {
  if (access.by === 'key')
    return `Requires an API key with the scope \`${access.scope}\`${access.testOnly ? ', in test mode' : ''}.`
  if (access.by === 'session') return 'Requires an access token.'
  const stepUp = ' It also requires a sign-in or a `POST /v1/auth/step-up` within the last 5 minutes.'
  if (access.by === 'operator')
    return `Requires an access token of an operator, from a session with a second factor.${access.stepUp ? stepUp : ''}`
  if (access.by === 'ticket') return 'Requires a ticket of an operator. A page of another site is refused.'
  if (access.by !== 'member') return undefined
  const least = { viewer: 'any member', developer: 'a developer or an owner', owner: 'an owner' }[access.role]
  return `Requires an access token of ${least}.${access.stepUp ? stepUp : ''}`
}

const securityOf = ({ access, docs }: Route): readonly Schema[] => {
  if (access.by === 'key') return [{ apiKey: [access.scope] }]
  if (access.by === 'session') return [{ session: [] }]
  if (access.by === 'member') return [{ session: [access.role] }]
  if (access.by === 'operator') return [{ session: ['operator'] }]
  if (access.by === 'ticket') return [{ ticket: [] }]
  return (docs?.callers ?? ['nobody']).map(caller => (caller === 'nobody' ? {} : { [caller]: [] }))
}

/** Name of the schema of its request body. */
export const bodyName = (operation: string): string => `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Body`
