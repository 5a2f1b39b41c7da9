const isHttps = (publicUrl: string) => publicUrl.startsWith('https:')

/**
 * `pay` is the cookie of one payment. `latest` has the path of the payment link, and leads a customer who comes back to it to
 * the payment of the last visit. Both hold the client secret.
 */
type PayCookieName = 'pay' | 'latest'

/** Browsers accept a name that begins with `__Secure-` from https only. */
const nameFor = (publicUrl: string, name: PayCookieName) => `${isHttps(publicUrl) ? '__Secure-' : ''}paymachine_${name}`

/** How long a customer can come back after the end of the payment window. */
const KEPT_MS = 30 * 24 * 3_600_000

type PayCookie = {
  readonly name: PayCookieName
  readonly publicUrl: string
  /** The cookie is sent to this path and below it only. */
  readonly path: string
  readonly clientSecret: string
  /** The end of the payment window. */
  readonly expiresAt: Date
  readonly now: Date
}

/** `Lax`: a link in a message of the shop opens the page, and a form of another site cannot use the cookie. */
export const writePayCookie = ({ name, publicUrl, path, clientSecret, expiresAt, now }: PayCookie): string =>
  [
    `${nameFor(publicUrl, name)}=${clientSecret}`,
    `Path=${path}`,
    `Max-Age=${Math.max(0, Math.floor((expiresAt.getTime() + KEPT_MS - now.getTime()) / 1_000))}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isHttps(publicUrl) ? ['Secure'] : []),
  ].join('; ')

/**
 * All cookies of this name: another host of the same domain can add one. The secret of the payment is among them or not, so
 * that trying each of them gives nothing away.
 */
export const readPayCookies = (publicUrl: string, headers: Headers, name: PayCookieName): readonly string[] => {
  const start = `${nameFor(publicUrl, name)}=`
  const pairs = (headers.get('cookie') ?? '').split(';').map(pair => pair.trim())
  const found = pairs.filter(pair => pair.startsWith(start)).map(pair => pair.slice(start.length))
  return found.filter(value => value !== '' && value.length <= 500).slice(0, MOST)
}

const MOST = 3
