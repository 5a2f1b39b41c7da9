import type { AttemptOutcome } from '../webhooks/outcome.ts'

/** The outcomes of an attempt, with the descriptions for the API reference. */
export const attemptOutcomes = {
  delivered: 'the endpoint answered with 2xx',
  http_error: 'the endpoint answered with another status that is not a redirect',
  redirect: 'the endpoint answered with 3xx; this ends the delivery',
  timeout: 'no response within 15 seconds',
  bad_response: 'the response was not valid HTTP',
  connection_failed: 'the connection could not be opened, or was closed',
  tls_failed: 'the certificate is not trusted',
  dns_failed: 'the host name has no address',
  forbidden_address: 'the address is not allowed; this ends the delivery',
  body_too_large: 'the event is larger than 20 KiB; this ends the delivery',
  not_signed: 'the signing secret could not be decrypted',
  lost: 'it is not known whether the request was sent',
} as const satisfies Record<AttemptOutcome['outcome'], string>
