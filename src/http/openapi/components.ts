import { type Code, Refusal } from '../../errors.ts'
import type { Schema } from './schema.ts'

const requestId = 'fb3c78ea-da1a-4e41-9849-c7df575755e1'

export type Components = {
  readonly securitySchemes: Schema
  readonly headers: Schema
  /** One error response for every code. */
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

/** The parts that operations refer to. */
export const components = (codes: readonly Code[]): Components => ({
  securitySchemes: {
    apiKey: { type: 'http', scheme: 'bearer', description: 'API key of a merchant: `sk_test_…` or `sk_live_…`.' },
    session: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'Access token of a signed-in account.',
    },
    clientSecret: {
      type: 'apiKey',
      in: 'header',
      name: 'Client-Secret',
      description: 'Client secret of the payment, from the response that opened it.',
    },
    ticket: {
      type: 'apiKey',
      in: 'query',
      name: 'ticket',
      description: 'Ticket of an operator, from `POST /v1/ops/tickets`.',
    },
    refreshCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Secure-paymachine_refresh',
      description: 'Refresh cookie, set by a sign-in. Without https its name is `paymachine_refresh`.',
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
  'Request-Id': header('ID of the request, as in the log of the server.', requestId, { required: true }),
  RateLimit: header(
    'Remaining requests (`r`) and seconds until the limit is reset (`t`). Missing if there is no limit.',
    '"test";r=48;t=1',
  ),
  'RateLimit-Policy': header(
    'Maximum number of requests in a burst (`q`), and seconds until the full number is available again (`w`).',
    '"test";q=50;w=2',
  ),
  'Service-Version': header(
    'API version of the response. Missing if the requested version is not known.',
    '2026-11-20',
  ),
  'Retry-After': header('Seconds to wait before the next request.', 1, { type: 'integer' }),
  'WWW-Authenticate': header('Authentication scheme.', 'Bearer'),
  'Idempotent-Replayed': header(
    '`true` if this is the stored response to an earlier request with the same key.',
    'true',
  ),
}

export const errorSchema = (codes: readonly Code[]): Schema => ({
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'The error.',
      required: ['type', 'code', 'message', 'requestId'],
      properties: {
        type: { enum: [...new Set(codes.map(code => new Refusal(code).type))], description: 'Category of the error.' },
        code: { enum: codes, description: 'Error code, for your program. New codes can be added.' },
        message: { type: 'string', description: 'Description for people. It can change.' },
        param: {
          type: 'string',
          description: 'Field, query parameter or header that caused the error. Missing if there is none.',
        },
        details: {
          type: 'object',
          description:
            'More information, depending on `code`: for example the ID of the existing object, or the current status. Missing if there is none.',
        },
        requestId: { type: 'string', format: 'uuid', description: 'ID of the request, as in the `Request-Id` header.' },
      },
    },
  },
})

const errorOf = (code: Code): Schema => {
  const { type, message } = new Refusal(code)
  return { error: { type, code, message, requestId } }
}
