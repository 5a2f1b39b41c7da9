import type { AttemptOutcome } from '../webhooks/outcome.ts'

/** What an attempt can come to, as the outside reads it. */
export const attemptOutcomes = {
  delivered: 'a 2xx',
  http_error: 'any other status but a redirect',
  redirect: 'a 3xx, which ends the delivery',
  timeout: 'no status within 15 s',
  bad_response: 'an answer that is no HTTP',
  connection_failed: 'no connection, or one that was cut',
  tls_failed: 'no certificate that can be trusted',
  dns_failed: 'no address for the name',
  forbidden_address: 'an address that may not be called, which ends the delivery',
  body_too_large: 'an event of more than 20 KiB, which ends the delivery',
  not_signed: 'a signing secret that could not be opened',
  lost: 'nobody knows whether it was sent',
} as const satisfies Record<AttemptOutcome['outcome'], string>
