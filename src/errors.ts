/**
 * Every way in which the service says no: the code on the wire, its HTTP status and type, and the
 * sentence a developer reads. What is not in this table is a fault and answers 500.
 */
const refusals = {
  parameter_missing: [400, 'invalid_request_error', 'A required parameter is missing.'],
  parameter_invalid: [400, 'invalid_request_error', 'A parameter has a value that is not allowed.'],
  parameter_unknown: [400, 'invalid_request_error', 'A parameter is not known here.'],
  invalid_json: [400, 'invalid_request_error', 'The body is not valid JSON.'],
  invalid_cursor: [400, 'invalid_request_error', 'The cursor names no record of this list.'],
  invalid_api_version: [400, 'invalid_request_error', 'The Service-Version header names no version of this service.'],
  idempotency_key_required: [400, 'idempotency_error', 'This request needs an Idempotency-Key header.'],
  idempotency_key_invalid: [
    400,
    'idempotency_error',
    'The Idempotency-Key must be 1 to 255 printable ASCII characters.',
  ],
  missing_api_key: [401, 'authentication_error', 'Send your API key: Authorization: Bearer sk_…'],
  invalid_api_key: [401, 'authentication_error', 'This API key does not exist or has been revoked.'],
  invalid_credentials: [401, 'authentication_error', 'The e-mail address or the password is wrong.'],
  mfa_required: [401, 'authentication_error', 'Send the code of your authenticator app too.'],
  invalid_mfa_code: [401, 'authentication_error', 'The code is wrong or has been used already.'],
  invalid_token: [401, 'authentication_error', 'Sign in again: the session is missing or has ended.'],
  insufficient_scope: [403, 'permission_error', 'This API key may not do that.'],
  sandbox_only: [403, 'permission_error', 'This exists in test mode only.'],
  step_up_required: [403, 'permission_error', 'Confirm your password or a code first: POST /v1/auth/step-up.'],
  insufficient_role: [403, 'permission_error', 'Your role in this merchant may not do that.'],
  sign_up_closed: [403, 'permission_error', 'New accounts are by invitation only.'],
  resource_not_found: [404, 'not_found_error', 'There is no such record.'],
  route_not_found: [404, 'not_found_error', 'There is no such path.'],
  method_not_allowed: [405, 'invalid_request_error', 'This path does not take that method.'],
  body_too_large: [413, 'invalid_request_error', 'The body is larger than 64 KiB.'],
  unsupported_media_type: [415, 'invalid_request_error', 'Send the body as application/json.'],
  state_conflict: [409, 'conflict_error', 'The record is in no state for that.'],
  payment_not_cancelable: [409, 'conflict_error', 'Only a pending payment of which nothing was seen can be canceled.'],
  payment_link_not_active: [409, 'conflict_error', 'The payment link is not active.'],
  dispute_already_open: [409, 'conflict_error', 'The payment has an open dispute already.'],
  duplicate_reference: [409, 'conflict_error', 'A payment link with this reference exists already.'],
  email_taken: [409, 'conflict_error', 'There is an account with this e-mail address already.'],
  idempotency_key_in_use: [409, 'idempotency_error', 'A request with this Idempotency-Key is still running.'],
  idempotency_key_reused: [422, 'idempotency_error', 'This Idempotency-Key was used for another request.'],
  payment_not_refundable: [422, 'invalid_request_error', 'The payment has nothing to refund.'],
  refund_exceeds_remaining: [422, 'invalid_request_error', 'The refund is larger than what remains of the payment.'],
  payment_not_disputable: [422, 'invalid_request_error', 'Only a successful payment can be disputed.'],
  invalid_destination: [422, 'invalid_request_error', 'The destination is no address that can be paid.'],
  unsupported_currency: [422, 'invalid_request_error', 'The currency is not supported: USD or EUR.'],
  unsupported_asset: [422, 'invalid_request_error', 'The asset is not offered on this chain.'],
  rate_limited: [429, 'rate_limit_error', 'Too many requests: wait as long as Retry-After says.'],
  internal_error: [500, 'api_error', 'Something failed on our side. The request id helps to find it in the log.'],
  rate_unavailable: [503, 'api_error', 'There is no exchange rate right now.'],
  chain_unavailable: [503, 'api_error', 'The chain cannot be reached right now.'],
  service_unavailable: [503, 'api_error', 'The service cannot do this right now: try again.'],
} as const satisfies Record<string, readonly [status: number, type: string, sentence: string]>

export type Code = keyof typeof refusals

export type Because = {
  /** The field, query parameter or header that is to blame. */
  readonly param?: string
  /** Instead of the table's sentence. Never the caller's own words: they may be a secret. */
  readonly message?: string
  readonly details?: Readonly<Record<string, unknown>>
  /** Seconds, for 429 and 503. */
  readonly retryAfter?: number
  /** What is still on its way is not waited for: the connection ends with the answer. */
  readonly close?: true
  /** What was asked for too often, for 429: so many in so many seconds. */
  readonly quota?: { readonly allowed: number; readonly seconds: number }
}

/** An expected no. Thrown anywhere under a request, it becomes the answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: Code
  readonly because: Because

  constructor(code: Code, because: Because = {}) {
    super(because.message ?? refusals[code][2])
    this.code = code
    this.because = because
  }

  get status(): number {
    return refusals[this.code][0]
  }

  get type(): string {
    return refusals[this.code][1]
  }
}

export const refuse = (code: Code, because?: Because): never => {
  throw new Refusal(code, because)
}
