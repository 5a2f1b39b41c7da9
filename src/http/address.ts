import { isIPv4, isIPv6 } from 'node:net'
import { type AddressRange, groupsOf, isWithin, plain, remembered } from '../address-ranges.ts'

/**
 * Where a request comes from. `X-Forwarded-For` is a claim: each proxy adds at its right end whom it
 * got the request from, so it is read from there for as long as the one who says so is trusted.
 */
export const clientAddress = (peer: string, forwardedFor: string | null, trusted: readonly AddressRange[]): string => {
  let address = plain(peer)
  const hops = forwardedFor?.split(',') ?? []
  while (isWithin(address, trusted)) {
    const hop = hops.pop()
    const next = hop === undefined ? undefined : parseHop(hop.trim())
    if (next === undefined) break
    address = next
  }
  return address
}

/** What limits count by: an IPv6 subscriber has a whole /64 to come from. */
export const limitGroup = remembered(address => networkOf(address, 64))

/** Many providers give one customer a /48, which has 65,536 groups of limits. */
export const siteOf = remembered(address => networkOf(address, 48))

/** The address itself when it is not IPv6. */
const networkOf = (address: string, prefix: 48 | 64): string =>
  isIPv6(address)
    ? `${groupsOf(address)
        .slice(0, prefix / 16)
        .map(group => group.toString(16))
        .join(':')}::/${prefix}`
    : address

/** Whether nobody but this machine has the address. */
export const isLoopback = remembered(address => isWithin(address, loopback))

/** Whether the host of a URL, or a Host header, names the machine that it is read on. */
export const isLoopbackHost = (host: string): boolean => {
  const hostname = URL.parse(`http://${host}`)?.hostname ?? ''
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

const loopback: readonly AddressRange[] = [
  { address: '127.0.0.0', prefix: 8, family: 'ipv4' },
  { address: '::1', prefix: 128, family: 'ipv6' },
]

/** `1.2.3.4:5678` and `[2001:db8::1]:443` are how some proxies write it. */
const parseHop = (hop: string): string | undefined => {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? (/^([\d.]+)(?::\d+)?$/.exec(hop)?.[1] || hop)
  return isIPv4(bare) || isIPv6(bare) ? plain(bare) : undefined
}
