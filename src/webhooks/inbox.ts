import type { Dependencies } from '../dependencies.ts'
import { uuidv7 } from '../ids.ts'
import { insertInboxRequest } from '../queries/inbox-requests.ts'
import { withDatabaseTimeout } from './database-timeout.ts'
import type { DecryptedEndpoint } from './endpoint-cache.ts'
import type { PostOutcome } from './post.ts'
import { COMMON_HEADERS } from './request-headers.ts'
import { shownHeadersOf } from './shown-headers.ts'
import { hasValidSignature } from './signature.ts'

type Services = Pick<Dependencies, 'sql' | 'clock' | 'random'>
type LoggingServices = Services & Pick<Dependencies, 'log'>

type InboxRequest = {
  readonly endpointId: string
  readonly secrets: DecryptedEndpoint['secrets']
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The response to every request to an inbox. */
export const INBOX_RECEIPT = { received: true } as const

/** Returns false if the inbox was deleted. */
export const keepInboxRequest = async (
  { sql, clock, random }: Services,
  { endpointId, secrets, headers, body }: InboxRequest,
): Promise<boolean> => {
  const at = clock.now()
  const { authorization, cookie, 'proxy-authorization': _, ...shown } = headers
  return insertInboxRequest(sql, endpointId, {
    id: uuidv7(at, random),
    received_at: at,
    headers: shownHeadersOf(shown),
    // Postgres stores no null character in text.
    body: new TextDecoder().decode(body).replaceAll('\0', '\u{fffd}'),
    signature_valid: hasValidSignature({ header: headers['service-signature'], secrets: secrets(at), body, at }),
  })
}

type InboxDelivery = Omit<InboxRequest, 'secrets'> & { readonly endpoint: DecryptedEndpoint }

/**
 * Delivers to an inbox without the network. A request to the server's own URL would need an exception to the check of
 * addresses, and fails behind proxies that the server cannot reach itself through; here no address is involved.
 */
export const deliverToInbox = async (
  services: LoggingServices,
  { endpointId, endpoint, headers, body }: InboxDelivery,
): Promise<PostOutcome> => {
  const startedAt = performance.now()
  const all = {
    ...COMMON_HEADERS,
    ...headers,
    Host: new URL(endpoint.url).host,
    'Content-Length': `${body.byteLength}`,
  }
  const lowerCase = Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value]))
  const request = { endpointId, secrets: endpoint.secrets, headers: lowerCase, body }
  const isKept = await withDatabaseTimeout(keepInboxRequest(services, request)).catch(err => {
    services.log.warn({ err }, 'webhook inbox request not stored')
    return undefined
  })
  const durationMs = Math.round(performance.now() - startedAt)
  if (isKept === undefined) return { ...unanswered, outcome: 'connection_failed', httpStatus: null, durationMs }
  if (!isKept) return { ...unanswered, outcome: 'http_error', httpStatus: 404, durationMs }
  return {
    outcome: 'delivered',
    httpStatus: 200,
    responseSnippet: JSON.stringify(INBOX_RECEIPT),
    responseHeaders: { 'content-type': 'application/json' },
    retryAfterSeconds: null,
    durationMs,
  }
}

const unanswered = { responseSnippet: null, responseHeaders: null, retryAfterSeconds: null } as const
