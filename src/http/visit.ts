import { clientAddress } from './address.ts'
import type { Api } from './api.ts'

/** A request that is being handled, with the common headers of its response. */
export type Visit = {
  readonly request: Request
  /** The path of the route, as declared; undefined if there is no route. */
  readonly pattern: string | undefined
  readonly params: Readonly<Record<string, string>>
  readonly headers: Headers
  readonly requestId: string
  /** Headers of every response, including errors. Names in lower case. */
  readonly answerHeaders: Record<string, string>
  readonly door: Door | null
  /** Set at the first use. */
  address: string | undefined
}

/** The server that received the request. */
export type Door = {
  requestIP(request: Request): { readonly address: string } | null
  /** The connection of this request is not closed while it is idle. */
  keepOpen(request: Request): void
}

type Arrived = Pick<Visit, 'request' | 'pattern'> & Partial<Pick<Visit, 'params' | 'door'>>

export const openVisit = (
  { request, pattern, params = NONE, door = null }: Arrived,
  { publicUrl }: Pick<Api['settings'], 'publicUrl'>,
): Visit => {
  const requestId = crypto.randomUUID()
  const answerHeaders: Record<string, string> = {
    'request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
  // After the first visit, browsers use https for every link and on every network.
  if (publicUrl.startsWith('https:')) answerHeaders['strict-transport-security'] = 'max-age=31536000'
  return {
    request,
    pattern,
    params,
    headers: request.headers,
    requestId,
    // Not Headers, which cost ten times as much. headers.ts reuses one Headers object for many responses.
    answerHeaders,
    door,
    address: undefined,
  }
}

const NONE = {}

/** Read only where it is needed: it costs a system call, which half of all requests do not need. */
export const addressOf = (visit: Visit, { settings }: Pick<Api, 'settings'>): string => {
  visit.address ??= clientAddress(
    visit.door?.requestIP(visit.request)?.address ?? 'unknown',
    visit.headers.get('x-forwarded-for'),
    settings.trustedProxies,
  )
  return visit.address
}
