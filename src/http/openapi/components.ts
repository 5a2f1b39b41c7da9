import { type Code, Refusal } from '../../errors.ts'
import type { Schema } from './schema.ts'

const requestId = 'fb3c78ea-da1a-4e41-9849-c7df575755e1'

export type Components = {
  readonly securitySchemes: Schema
  readonly headers: Schema
  /** A refusal for every code. */
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

/** What every operation refers to. */
export const components = (codes: readonly Code[]): Components => ({
  securitySchemes: {
    apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of a merchant: `sk_test_…` or `sk_live_…`.' },
    session: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The access token of somebody who has signed in.',
    },
    clientSecret: {
      type: 'apiKey',
      in: 'header',
      name: 'Client-Secret',
      description: 'Of a payment, as whoever opened it was told.',
    },
    refreshCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Secure-paymachine_refresh',
      description: 'Set by signing in. Without https it is called `paymachine_refresh`.',
    },
  },
  headers,
  examples: Object.fromEntries(codes.map(code => [code, { summary: new Refusal(code).message, value: errorOf(code) }])),
})

type HeaderOptions = { readonly type?: string; readonly required?: boolean }

const header = (
  description: string,
  example: string | number,
  { type = 'string', required = false }: HeaderOptions = {},
): Schema => ({
  description,
  required,
  schema: { type },
  example,
})

const headers: Schema = {
  'Request-Id': header('Names this request in the log.', requestId, { required: true }),
  RateLimit: header(
    'How many requests are left, and seconds until more are. None where there is no limit.',
    '"test";r=48;t=1',
  ),
  'RateLimit-Policy': header(
    'How many requests may come at once, and in how many seconds they come back.',
    '"test";q=50;w=2',
  ),
  'Service-Version': header(
    'The version of this answer. None where the one that was asked for is not known.',
    '2026-11-20',
  ),
  'Retry-After': header('Seconds to wait.', 1, { type: 'integer' }),
  'WWW-Authenticate': header('How to say who you are.', 'Bearer'),
  'Idempotent-Replayed': header('`true` when the work had been done before, under the same key.', 'true'),
}

export const errorSchema = (codes: readonly Code[]): Schema => ({
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'What was refused, and why.',
      required: ['type', 'code', 'message', 'requestId'],
      properties: {
        type: { enum: [...new Set(codes.map(code => new Refusal(code).type))], description: 'What kind of refusal.' },
        code: { enum: codes, description: 'What to go by.' },
        message: { type: 'string', description: 'For whoever reads the log.' },
        param: { type: 'string', description: 'The field, parameter or header to blame.' },
        details: { type: 'object', description: 'More, by code: such as the id of the record that is in the way.' },
        requestId: { type: 'string', format: 'uuid', description: 'As in `Request-Id`.' },
      },
    },
  },
})

const errorOf = (code: Code): Schema => {
  const { type, message } = new Refusal(code)
  return { error: { type, code, message, requestId } }
}
