/**
 * All error responses that are expected: the code (part of the API contract), the HTTP status, the type, and the message
 * for a developer. `{param}` stands for the field, query parameter or header. Any other exception is a fault: 500.
 */
const refusals = {
  parameter_missing: [
    400,
    'invalid_request_error',
    'A required parameter is missing.',
    '{param} is required and is missing.',
  ],
  parameter_invalid: [
    400,
    'invalid_request_error',
    'A parameter has a value that is not allowed.',
    '{param} has a value that is not allowed.',
  ],
  parameter_unknown: [
    400,
    'invalid_request_error',
    'The request contains a parameter that is not known.',
    '{param} is not a known parameter.',
  ],
  invalid_json: [400, 'invalid_request_error', 'The request body is not valid JSON.'],
  invalid_cursor: [400, 'invalid_request_error', 'The cursor is not the ID of an object in this list.'],
  invalid_api_version: [400, 'invalid_request_error', 'The API version in the Service-Version header does not exist.'],
  idempotency_key_required: [
    400,
    'idempotency_error',
    'The Idempotency-Key header is missing: this request requires one.',
  ],
  idempotency_key_invalid: [
    400,
    'idempotency_error',
    'The Idempotency-Key header must have 1 to 255 printable ASCII characters.',
  ],
  missing_api_key: [
    401,
    'authentication_error',
    'The API key is missing. Send it in the header Authorization: Bearer sk_…',
  ],
  invalid_api_key: [401, 'authentication_error', 'The API key does not exist, has expired or was revoked.'],
  invalid_credentials: [401, 'authentication_error', 'The e-mail address or the password is wrong.'],
  mfa_required: [401, 'authentication_error', 'The account has MFA. Send the code of your authenticator app as well.'],
  invalid_mfa_code: [401, 'authentication_error', 'The code is wrong or has already been used.'],
  invalid_token: [
    401,
    'authentication_error',
    'The access token is missing or not valid, or the session has ended. Sign in again.',
  ],
  insufficient_scope: [403, 'permission_error', 'The API key does not have the required scope.'],
  sandbox_only: [403, 'permission_error', 'This is available in test mode only.'],
  step_up_required: [
    403,
    'permission_error',
    'Confirm your password or a code with POST /v1/auth/step-up, then repeat the request.',
  ],
  insufficient_role: [403, 'permission_error', 'Your role does not allow this.'],
  second_factor_required: [
    403,
    'permission_error',
    'Operators need a second factor: set up MFA, then sign in with a code, or send one with POST /v1/auth/step-up.',
  ],
  sign_up_closed: [
    403,
    'permission_error',
    'Sign-up is closed, or the sign-up code is missing or wrong. Ask for an invite.',
  ],
  resource_not_found: [404, 'not_found_error', 'The object does not exist, or you do not have access to it.'],
  route_not_found: [404, 'not_found_error', 'The path does not exist.'],
  invoice_void: [410, 'not_found_error', 'The invoice was voided. Nothing has to be paid.'],
  method_not_allowed: [405, 'invalid_request_error', 'The path does not support this method.'],
  body_too_large: [413, 'invalid_request_error', 'The request body is larger than 64 KiB.'],
  unsupported_media_type: [415, 'invalid_request_error', 'The request body must be application/json.'],
  state_conflict: [409, 'conflict_error', 'The current status of the object does not allow this.'],
  payment_not_cancelable: [
    409,
    'conflict_error',
    'The payment cannot be canceled: it is not pending, or money for it was seen on the chain.',
  ],
  payment_link_not_active: [409, 'conflict_error', 'The payment link is not active.'],
  dispute_already_open: [409, 'conflict_error', 'The payment already has an open dispute.'],
  duplicate_reference: [409, 'conflict_error', 'Another object with this reference already exists.'],
  duplicate_customer: [409, 'conflict_error', 'A customer with this e-mail address already exists.'],
  customer_in_use: [
    409,
    'conflict_error',
    'The customer cannot be erased yet: details.records names what has not ended, or the customer itself for its credit.',
  ],
  customer_erased: [409, 'conflict_error', 'The personal data of the customer was erased.'],
  invoice_has_payments: [
    409,
    'conflict_error',
    'Money for the invoice was received or is processing, so it cannot be voided. Issue a credit note.',
  ],
  plan_archived: [409, 'conflict_error', 'The plan is archived, so it has no new subscriptions.'],
  email_taken: [409, 'conflict_error', 'An account with this e-mail address already exists.'],
  idempotency_key_in_use: [409, 'idempotency_error', 'Another request with this Idempotency-Key is still in progress.'],
  idempotency_key_reused: [422, 'idempotency_error', 'This Idempotency-Key was already used for a different request.'],
  payment_not_refundable: [
    422,
    'invalid_request_error',
    'The payment cannot be refunded: it has not ended, or has received no money.',
  ],
  refund_exceeds_remaining: [
    422,
    'invalid_request_error',
    'The refund is larger than the remaining amount of the payment.',
  ],
  payment_not_disputable: [422, 'invalid_request_error', 'Only a payment with the status success can be disputed.'],
  invalid_destination: [
    422,
    'invalid_request_error',
    'The destination is not an address that the refund can be sent to.',
  ],
  unsupported_currency: [422, 'invalid_request_error', 'The currency is not supported. Use USD or EUR.'],
  unsupported_asset: [422, 'invalid_request_error', 'The asset is not available on this chain.'],
  credit_exceeds_balance: [
    422,
    'invalid_request_error',
    'The amount is larger than the credit balance of the customer.',
  ],
  currency_mismatch: [422, 'invalid_request_error', 'The currency is not that of the subscription.'],
  invoice_incomplete: [
    422,
    'invalid_request_error',
    'The invoice cannot be finalized: the billing settings lack the fields in details.missing.',
  ],
  invoice_total_out_of_range: [
    422,
    'invalid_request_error',
    'The total of the invoice is negative, or an amount is larger than 9007199254740991.',
  ],
  credit_note_exceeds_invoice: [
    422,
    'invalid_request_error',
    'The credit note credits more than was invoiced and is not credited yet.',
    '{param} is more than was invoiced and is not credited yet.',
  ],
  credit_note_not_settled: [
    422,
    'invalid_request_error',
    'creditMinor and the refunds must be the part of the credit note that does not reduce what is due: details.restMinor.',
  ],
  rate_limited: [
    429,
    'rate_limit_error',
    'Too many requests. Wait for the number of seconds in the Retry-After header.',
  ],
  internal_error: [
    500,
    'api_error',
    'An internal error has occurred. The request ID identifies it in the log of the server.',
  ],
  rate_unavailable: [503, 'api_error', 'There is no current exchange rate for the asset. Try again later.'],
  chain_unavailable: [503, 'api_error', 'The chain is not available at the moment. Try again later.'],
  service_unavailable: [503, 'api_error', 'The server is temporarily not available. Try again.'],
} as const satisfies Record<string, readonly [status: number, type: string, message: string, messageWithParam?: string]>

export type Code = keyof typeof refusals

export type Because = {
  /** The field, query parameter or header that caused the error. */
  readonly param?: string
  /** Replaces the message of the table. Must not contain input of the caller: it may be a secret. */
  readonly message?: string
  readonly details?: Readonly<Record<string, unknown>>
  /** Seconds, for 429 and 503. */
  readonly retryAfter?: number
  /** Closes the connection after the response, without reading the rest of the request. */
  readonly close?: true
  /** The exceeded limit, for 429: the allowed number of requests in this number of seconds. */
  readonly quota?: { readonly allowed: number; readonly seconds: number }
}

/** An expected error. Thrown anywhere while a request is handled, it becomes the response. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: Code
  readonly because: Because

  constructor(code: Code, because: Because = {}) {
    super(because.message ?? messageOf(code, because.param))
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

const messageOf = (code: Code, param: string | undefined): string => {
  const row: readonly [status: number, type: string, message: string, messageWithParam?: string] = refusals[code]
  const [, , message, messageWithParam] = row
  return param === undefined || messageWithParam === undefined
    ? message
    : messageWithParam.replace('{param}', () => param)
}

export const refuse = (code: Code, because?: Because): never => {
  throw new Refusal(code, because)
}
