import { isIPv4, isIPv6 } from 'node:net'
import {
  type AddressRange,
  bytesOf,
  cachedByAddress,
  canonicalAddress,
  groupsOf,
  isInRanges,
} from '../address-ranges.ts'

/**
 * Whether an address is a public internet address. IPv4 addresses are public unless they are special. IPv6 addresses
 * must be in 2000::/3, the range that is allocated to networks, and not be special.
 */
export const isPublic: (address: string) => boolean = cachedByAddress(address => {
  const canonical = canonicalAddress(address)
  if (isIPv4(canonical)) return !isInRanges(canonical, special)
  if (!isIPv6(canonical)) return false
  // NAT64: in networks with IPv6 only, the gateway forwards to the IPv4 address that it contains.
  if (isInRanges(canonical, nat64)) return isPublic(bytesOf(groupsOf(canonical)).slice(12).join('.'))
  return isInRanges(canonical, allocated) && !isInRanges(canonical, special)
}, 10_000)

/** Parses lines of a range and a comment. */
const ranges = (text: string): readonly AddressRange[] =>
  text
    .split('\n')
    .map(line => line.trim().split(' ')[0] ?? '')
    .filter(Boolean)
    .map(range => {
      const [address = '', prefix] = range.split('/')
      return { address, prefix: Number(prefix), family: isIPv6(address) ? 'ipv6' : 'ipv4' }
    })

const nat64 = ranges('64:ff9b::/96')
const allocated = ranges('2000::/3')

// All ranges in IANA's special-purpose registries, including the few that are routed. 6to4 and Teredo are refused
// whatever IPv4 address they contain, because they are no longer in use.
const special = ranges(`
  0.0.0.0/8           this host
  10.0.0.0/8          private
  100.64.0.0/10       carrier-grade NAT, and some clouds' metadata
  127.0.0.0/8         loopback
  168.63.129.16/32    Azure's host, although it looks public
  169.254.0.0/16      link-local, and most clouds' metadata
  172.16.0.0/12       private
  192.0.0.0/24        protocol assignments
  192.0.2.0/24        documentation
  192.31.196.0/24     AS112
  192.52.193.0/24     AMT
  192.88.99.0/24      6to4 relays
  192.168.0.0/16      private
  192.175.48.0/24     AS112
  198.18.0.0/15       benchmarks
  198.51.100.0/24     documentation
  203.0.113.0/24      documentation
  224.0.0.0/4         multicast
  240.0.0.0/4         reserved, and broadcast
  2001::/23           protocol assignments, Teredo
  2001:db8::/32       documentation
  2002::/16           6to4
  2620:4f:8000::/48   AS112
  3ffe::/16           the former 6bone
  3fff::/20           documentation
`)
