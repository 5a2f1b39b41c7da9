import { isIPv4, isIPv6 } from 'node:net'
import { type AddressRange, cachedByAddress, canonicalAddress, groupsOf, isInRanges } from '../address-ranges.ts'

/**
 * The address of the client. `X-Forwarded-For` can be forged: each proxy appends the address that it received the request
 * from, so it is read from the right end, as long as the address that added the entry is a trusted proxy.
 */
export const clientAddress = (peer: string, forwardedFor: string | null, trusted: readonly AddressRange[]): string => {
  let address = canonicalAddress(peer)
  const hops = forwardedFor?.split(',') ?? []
  while (isInRanges(address, trusted)) {
    const hop = hops.pop()
    const next = hop === undefined ? undefined : parseHop(hop.trim())
    if (next === undefined) break
    address = next
  }
  return address
}

/** The group for limits: an IPv6 subscriber can use a whole /64. */
export const limitGroup = cachedByAddress(address => networkOf(address, 64))

/** Many providers give one customer a /48, which contains 65,536 of these groups. */
export const siteOf = cachedByAddress(address => networkOf(address, 48))

/** The network of an IPv6 address; any other address unchanged. */
const networkOf = (address: string, prefix: 48 | 64): string =>
  isIPv6(address)
    ? `${groupsOf(address)
        .slice(0, prefix / 16)
        .map(group => group.toString(16))
        .join(':')}::/${prefix}`
    : address

/** Whether the address is a loopback address. */
export const isLoopback = cachedByAddress(address => isInRanges(address, loopback))

/** Whether the host of a URL or of a Host header is this machine. */
export const isLoopbackHost = (host: string): boolean => {
  const hostname = URL.parse(`http://${host}`)?.hostname ?? ''
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

const loopback: readonly AddressRange[] = [
  { address: '127.0.0.0', prefix: 8, family: 'ipv4' },
  { address: '::1', prefix: 128, family: 'ipv6' },
]

/** Some proxies add the port: `1.2.3.4:5678`, `[2001:db8::1]:443`. */
const parseHop = (hop: string): string | undefined => {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? (/^([\d.]+)(?::\d+)?$/.exec(hop)?.[1] || hop)
  return isIPv4(bare) || isIPv6(bare) ? canonicalAddress(bare) : undefined
}
