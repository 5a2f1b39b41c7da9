import { isIP } from 'node:net'
import { canonicalAddress, isInRanges } from '../address-ranges.ts'
import type { Env } from '../env.ts'
import { isPublic } from './address.ts'

export type Rules = Env['webhooks']

/** A parsed URL of a webhook endpoint. */
export type WebhookTarget = {
  readonly secure: boolean
  /** A host name without a dot at its end, or an address in canonical form. */
  readonly name: string
  readonly isAddress: boolean
  readonly port: number
  /** The value of the Host header. */
  readonly host: string
  readonly path: string
}

/** Problems of a URL, with the error message for the merchant. */
export const urlProblems = {
  malformed: 'url is not a valid URL, such as https://shop.example.com/webhooks.',
  too_long: 'url is longer than 2,048 characters.',
  has_userinfo: 'url must not contain a user name or a password.',
  not_https: 'url must start with https://.',
  closed_port: 'url has a port that is not allowed. By default, webhooks are sent to ports 443 and 8443.',
  not_public: 'url must not lead to a private, internal or reserved address.',
} as const

export type UrlProblem = keyof typeof urlProblems

export const parseTarget = (text: string): WebhookTarget | UrlProblem => {
  if (text.length > 2_048) return 'too_long'
  // Stricter than the URL parser, which accepts many malformed texts.
  if (!/^https?:\/\/[^\s\p{C}\\/][^\s\p{C}\\]*$/iu.test(text) || !URL.canParse(text)) return 'malformed'
  const { protocol, username, password, hostname, port, pathname, search } = new URL(text)
  if (username || password || /^[^:]+:\/\/[^/?#]*@/.test(text)) return 'has_userinfo'
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '')
  const isAddress = isIP(bare) !== 0
  if (!isAddress && !isName(bare)) return 'malformed'
  const secure = protocol === 'https:'
  return {
    secure,
    name: isAddress ? canonicalAddress(bare) : bare,
    isAddress,
    port: port ? Number(port) : secure ? 443 : 80,
    host: `${hostname.startsWith('[') ? hostname : bare}${port && `:${port}`}`,
    path: pathname + search,
  }
}

/** Accepts underscores, which are not standard but occur in internal names. */
const isName = (text: string): boolean => text.length <= 253 && /^([a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/.test(text)

/**
 * The addresses of a target that needs no lookup: an address itself, or names ending in localhost, which mean this
 * machine whatever DNS says. For these, the loopback addresses that the operator has allowed, or both if none is
 * allowed.
 */
export const knownAddresses = ({ name, isAddress }: WebhookTarget, { allow }: Rules): readonly string[] | undefined => {
  if (isAddress) return [name]
  if (name !== 'localhost' && !name.endsWith('.localhost')) return undefined
  const allowed = loopback.filter(address => isInRanges(address, allow))
  return allowed.length > 0 ? allowed : loopback
}

const loopback = ['127.0.0.1', '::1']

/** Whether all of these addresses may be called with this URL. */
export const checkAddresses = (
  target: WebhookTarget,
  addresses: readonly string[],
  livemode: boolean,
  { allow, ports }: Rules,
): 'ok' | UrlProblem => {
  const allowed = addresses.filter(address => isInRanges(canonicalAddress(address), allow))
  if (addresses.length > 0 && allowed.length === addresses.length)
    return target.secure || !livemode ? 'ok' : 'not_https'
  if (!target.secure) return 'not_https'
  if (!ports.includes(target.port)) return 'closed_port'
  return addresses.every(address => allowed.includes(address) || isPublic(address)) ? 'ok' : 'not_public'
}

/** Checks a name before it is looked up. `ok` means that some of its addresses could be allowed. */
export const checkName = (target: WebhookTarget, livemode: boolean, { allow, ports }: Rules): 'ok' | UrlProblem => {
  if (!target.secure && (livemode || allow.length === 0)) return 'not_https'
  return allow.length > 0 || ports.includes(target.port) ? 'ok' : 'closed_port'
}
