import { isIP } from 'node:net'
import { isInRanges, plain } from '../address-ranges.ts'
import type { Env } from '../env.ts'
import { isPublic } from './address.ts'

export type Rules = Env['webhooks']

/** Where a merchant's URL leads, taken apart. */
export type WebhookTarget = {
  readonly secure: boolean
  /** A name without a dot at its end, or an address in its one spelling. */
  readonly name: string
  readonly isAddress: boolean
  readonly port: number
  /** What the Host header says. */
  readonly host: string
  readonly path: string
}

/** Problems of a URL, with the error message for the merchant. */
export const urlFaults = {
  malformed: 'url is not a valid URL, such as https://shop.example.com/webhooks.',
  too_long: 'url is longer than 2,048 characters.',
  has_userinfo: 'url must not contain a user name or a password.',
  not_https: 'url must start with https://.',
  closed_port: 'url has a port that is not allowed. By default, webhooks are sent to ports 443 and 8443.',
  not_public: 'url must not lead to a private, internal or reserved address.',
} as const

export type UrlFault = keyof typeof urlFaults

export const parseTarget = (text: string): WebhookTarget | UrlFault => {
  if (text.length > 2_048) return 'too_long'
  // The parser would read a lot of things as a URL that nobody meant as one.
  if (!/^https?:\/\/[^\s\p{C}\\/][^\s\p{C}\\]*$/iu.test(text) || !URL.canParse(text)) return 'malformed'
  const { protocol, username, password, hostname, port, pathname, search } = new URL(text)
  if (username || password || /^[^:]+:\/\/[^/?#]*@/.test(text)) return 'has_userinfo'
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '')
  const isAddress = isIP(bare) !== 0
  if (!isAddress && !isName(bare)) return 'malformed'
  const secure = protocol === 'https:'
  return {
    secure,
    name: isAddress ? plain(bare) : bare,
    isAddress,
    port: port ? Number(port) : secure ? 443 : 80,
    host: `${hostname.startsWith('[') ? hostname : bare}${port && `:${port}`}`,
    path: pathname + search,
  }
}

/** Underscores are not of the standard, and some internal names have them. */
const isName = (text: string): boolean => text.length <= 253 && /^([a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/.test(text)

/**
 * The addresses that are known without asking anybody. Names that end in localhost mean this machine wherever they
 * are asked for, and the DNS is not to say otherwise; of its two addresses, those that the operator opened.
 */
export const knownAddresses = ({ name, isAddress }: WebhookTarget, { allow }: Rules): readonly string[] | undefined => {
  if (isAddress) return [name]
  if (name !== 'localhost' && !name.endsWith('.localhost')) return undefined
  const opened = thisMachine.filter(address => isInRanges(address, allow))
  return opened.length > 0 ? opened : thisMachine
}

const thisMachine = ['127.0.0.1', '::1']

/** Whether these, all of them, may be called under that URL. */
export const judgeAddresses = (
  target: WebhookTarget,
  addresses: readonly string[],
  livemode: boolean,
  { allow, ports }: Rules,
): 'ok' | UrlFault => {
  const opened = addresses.filter(address => isInRanges(plain(address), allow))
  if (addresses.length > 0 && opened.length === addresses.length) return target.secure || !livemode ? 'ok' : 'not_https'
  if (!target.secure) return 'not_https'
  if (!ports.includes(target.port)) return 'closed_port'
  return addresses.every(address => opened.includes(address) || isPublic(address)) ? 'ok' : 'not_public'
}

/** What can be said of a name before it is looked up: no more than that some address behind it could be called. */
export const judgeName = (target: WebhookTarget, livemode: boolean, { allow, ports }: Rules): 'ok' | UrlFault => {
  if (!target.secure && (livemode || allow.length === 0)) return 'not_https'
  return allow.length > 0 || ports.includes(target.port) ? 'ok' : 'closed_port'
}
