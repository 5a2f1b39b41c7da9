import { clientAddress } from './address.ts'
import type { Api } from './api.ts'

/** A request on its way through the interface, with what its answer will carry whatever becomes of it. */
export type Visit = {
  readonly request: Request
  /** The route's path as it is declared; undefined where there is no route. */
  readonly pattern: string | undefined
  readonly params: Readonly<Record<string, string>>
  readonly headers: Headers
  readonly requestId: string
  /** Go out with whatever is answered, a refusal too. Names in lower case. */
  readonly answerHeaders: Record<string, string>
  readonly door: Door | null
  /** Once it was asked for. */
  address: string | undefined
}

/** The server by which it came, which knows from where. */
export type Door = { requestIP(request: Request): { readonly address: string } | null }

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
  // A browser that has been here once goes by https from then on, whatever link or network it comes by.
  if (publicUrl.startsWith('https:')) answerHeaders['strict-transport-security'] = 'max-age=31536000'
  return {
    request,
    pattern,
    params,
    headers: request.headers,
    requestId,
    // Not Headers, which cost ten times as much, and of which the same ones serve many answers; see headers.ts.
    answerHeaders,
    door,
    address: undefined,
  }
}

const NONE = {}

/** Asked for only where it matters: finding it out costs a question to the system, which half of all requests need not ask. */
export const addressOf = (visit: Visit, { settings }: Pick<Api, 'settings'>): string => {
  visit.address ??= clientAddress(
    visit.door?.requestIP(visit.request)?.address ?? 'unknown',
    visit.headers.get('x-forwarded-for'),
    settings.trustedProxies,
  )
  return visit.address
}
