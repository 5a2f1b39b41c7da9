/**
 * The path of the cookie with the refresh token. Scripts cannot read it, and it is sent only to this path of this site.
 */
const PATH = '/v1/auth'
const IDLE_SECONDS = 30 * 24 * 3600

export const writeRefreshCookie = (publicUrl: string, token: string): string => cookie(publicUrl, token, IDLE_SECONDS)

export const clearRefreshCookie = (publicUrl: string): string => cookie(publicUrl, '', 0)

/**
 * Returns undefined if there is none or more than one: a page on another host of the same domain can set a cookie with
 * this name, and the two cannot be distinguished.
 */
export const readRefreshCookie = (publicUrl: string, headers: Headers): string | undefined => {
  const start = `${nameFor(publicUrl)}=`
  const pairs = (headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  const [cookie, ...others] = pairs.filter(pair => pair.startsWith(start))
  return others.length === 0 ? cookie?.slice(start.length) : undefined
}

/** Whether a browser sent the request from a page of another site. Older browsers only send Origin. */
export const isCrossSite = (publicUrl: string, headers: Headers): boolean => {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') return true
  const origin = headers.get('origin')
  if (origin === null || origin === publicUrl) return false
  // With `Referrer-Policy: no-referrer`, forms are sent without their origin. The first header says where they come from.
  if (origin === 'null' && site === 'same-origin') return false
  // An operator may use another host name than the one in PUBLIC_URL.
  return !URL.canParse(origin) || new URL(origin).host !== headers.get('host')
}

const isHttps = (publicUrl: string) => publicUrl.startsWith('https:')

// Browsers accept a cookie whose name begins with `__Secure-` over https only.
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
