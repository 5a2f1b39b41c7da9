/**
 * The cookie that carries the refresh token: out of reach of scripts, sent to this service's own
 * pages only, and only where it is needed.
 */
const PATH = '/v1/auth'
const IDLE_SECONDS = 30 * 24 * 3600

export const writeRefreshCookie = (publicUrl: string, token: string): string => cookie(publicUrl, token, IDLE_SECONDS)

export const clearRefreshCookie = (publicUrl: string): string => cookie(publicUrl, '', 0)

/**
 * Undefined without one, and with two: a page of another host of the same domain can add one of this name, and which of
 * them is the own one cannot be known.
 */
export const readRefreshCookie = (publicUrl: string, headers: Headers): string | undefined => {
  const start = `${nameFor(publicUrl)}=`
  const pairs = (headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  const [cookie, ...others] = pairs.filter(pair => pair.startsWith(start))
  return others.length === 0 ? cookie?.slice(start.length) : undefined
}

/** Whether a browser sends it on behalf of a page of somebody else. Older ones tell by Origin alone. */
export const isForeign = (publicUrl: string, headers: Headers): boolean => {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') return true
  const origin = headers.get('origin')
  if (origin === null || origin === publicUrl) return false
  // An operator may come by another name than PUBLIC_URL says: by the one that the request was sent to.
  return !URL.canParse(origin) || new URL(origin).host !== headers.get('host')
}

const isHttps = (publicUrl: string) => publicUrl.startsWith('https:')

// Browsers let nobody but https write a name that begins so.
const nameFor = (publicUrl: string) => `${isHttps(publicUrl) ? '__Secure-' : ''}paymachine_refresh`

const cookie = (publicUrl: string, value: string, seconds: number): string =>
  [
    `${nameFor(publicUrl)}=${value}`,
    `Path=${PATH}`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isHttps(publicUrl) ? ['Secure'] : []),
  ].join('; ')
