import { isIPv4, isIPv6 } from 'node:net'
import { type AddressRange, bytesOf, groupsOf, isInRanges, plain, remembered } from '../address-ranges.ts'

/**
 * Whether anybody on the internet is behind an address, as far as the address itself says. IPv4 is public unless
 * it is special; of IPv6 only what is given out to networks, 2000::/3, and of that only what is not special.
 */
export const isPublic: (address: string) => boolean = remembered(address => {
  const of = plain(address)
  if (isIPv4(of)) return !isInRanges(of, special)
  if (!isIPv6(of)) return false
  // What a network with IPv6 only calls the IPv4 internet: its gateway speaks to the address inside.
  if (isInRanges(of, translated)) return isPublic(bytesOf(groupsOf(of)).slice(12).join('.'))
  return isInRanges(of, givenOut) && !isInRanges(of, special)
}, 10_000)

/** Ranges as they are written in the registries of special addresses. */
const ranges = (text: string): readonly AddressRange[] =>
  text
    .split('\n')
    .map(line => line.trim().split(' ')[0] ?? '')
    .filter(Boolean)
    .map(range => {
      const [address = '', prefix] = range.split('/')
      return { address, prefix: Number(prefix), family: isIPv6(address) ? 'ipv6' : 'ipv4' }
    })

const translated = ranges('64:ff9b::/96')
const givenOut = ranges('2000::/3')

// The registries of IANA for special purposes, whole: also the few in them that some router would carry. 6to4 and
// Teredo are refused whatever IPv4 address they have inside: nobody serves there any more.
const special = ranges(`
  0.0.0.0/8           this host
  10.0.0.0/8          private
  100.64.0.0/10       shared by subscribers of a provider, and some clouds' metadata
  127.0.0.0/8         loopback
  168.63.129.16/32    in Azure the machine below, though it looks public
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
