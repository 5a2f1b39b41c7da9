import { type Code, Refusal } from '../../errors.ts'
import type { Route } from '../route.ts'
import { schemaOf } from './schema.ts'

/** All error codes of a route: those that follow from its declaration, and those that it declares. */
export const refusalsOf = (route: Route): readonly Code[] => {
  const { access, method, path, docs } = route
  const codes: (Code | false)[] = [
    ...byAccess(route),
    // A page ignores query parameters; only its form is validated.
    !(route.page && method === 'GET') && 'parameter_unknown',
    // On every route: a repeated query parameter, or a malformed Host header.
    'parameter_invalid',
    route.query !== undefined && Array.isArray(schemaOf(route.query).required) && 'parameter_missing',
    isList(route) && 'invalid_cursor',
    ...(method === 'GET' ? [] : byBody(route)),
    ...(takesIdempotencyKey(route) ? byIdempotencyKey : []),
    (path.includes(':id') || access.by === 'member') && 'resource_not_found',
    ...(docs?.refusals ?? []),
    'internal_error',
    'service_unavailable',
  ]
  return [...new Set(codes.filter(code => code !== false))].sort((a, b) => statusOf(a) - statusOf(b))
}

export const statusOf = (code: Code): number => new Refusal(code).status

const byAccess = ({ access }: Route): readonly (Code | false)[] => {
  if (access.by === 'anybody') return [access.checkout === true && 'rate_limited']
  if (access.by === 'key')
    return [
      'missing_api_key',
      'invalid_api_key',
      'invalid_api_version',
      'rate_limited',
      'insufficient_scope',
      access.testOnly === true && 'sandbox_only',
    ]
  if (access.by === 'session') return ['invalid_token', 'rate_limited']
  if (access.by === 'ticket') return ['invalid_token', 'rate_limited', 'insufficient_role']
  if (access.by === 'operator') return [...operators, access.stepUp === true && 'step_up_required']
  return [
    'invalid_token',
    'rate_limited',
    access.role !== 'viewer' && 'insufficient_role',
    access.stepUp === true && 'step_up_required',
  ]
}

const operators = ['invalid_token', 'rate_limited', 'insufficient_role', 'second_factor_required'] as const

const byBody = ({ body }: Route): readonly (Code | false)[] => [
  'invalid_json',
  body !== undefined && Array.isArray(schemaOf(body).required) && 'parameter_missing',
  'body_too_large',
  'unsupported_media_type',
]

const byIdempotencyKey = ['idempotency_key_invalid', 'idempotency_key_in_use', 'idempotency_key_reused'] as const

/** Every POST with an API key does; other routes if they declare it. */
export const takesIdempotencyKey = (route: Route): boolean =>
  (route.access.by === 'key' && route.method === 'POST') || says(route, 'idempotency_key_reused')

export const needsIdempotencyKey = (route: Route): boolean => says(route, 'idempotency_key_required')

const says = ({ docs }: Route, code: Code): boolean => docs?.refusals?.includes(code) ?? false

const isList = ({ query }: Route): boolean =>
  query !== undefined && Object.hasOwn(Object(schemaOf(query).properties), 'startingAfter')
