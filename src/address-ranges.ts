import { BlockList, isIPv4, isIPv6 } from 'node:net'

export type AddressRange = { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' }

/** Caches the results of a function of an address. Few addresses recur often, and parsing one is the expensive part. */
export const cachedByAddress = <T>(compute: (address: string) => T, max = 1_000): ((address: string) => T) => {
  const cache = new Map<string, T>()
  return address => {
    const cached = cache.get(address)
    if (cached !== undefined) return cached
    if (cache.size >= max) cache.clear()
    const value = compute(address)
    cache.set(address, value)
    return value
  }
}

/** The canonical form of an address: without zone, in lower case, and IPv4-mapped IPv6 as IPv4. */
export const canonicalAddress = cachedByAddress(address => {
  const bare = address.replace(/%.*$/, '').toLowerCase()
  if (!isIPv6(bare)) return bare
  const groups = groupsOf(bare)
  if (isMapped(groups)) return bytesOf(groups).slice(12).join('.')
  return new URL(`http://[${groups.map(group => group.toString(16)).join(':')}]`).hostname.slice(1, -1)
})

const isMapped = (groups: readonly number[]): boolean =>
  groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff

/** The address must be in canonical form: see `canonicalAddress`. */
export const isInRanges = (address: string, ranges: readonly AddressRange[]): boolean => {
  if (isIPv4(address)) return listsOf(ranges).ipv4.check(address, 'ipv4')
  return isIPv6(address) && listsOf(ranges).ipv6.check(address, 'ipv6')
}

/** One list per family, because runtimes differ in whether IPv4 addresses are in IPv6 ranges such as `::/0`. */
type Lists = { readonly ipv4: BlockList; readonly ipv6: BlockList }

const listsOf = (ranges: readonly AddressRange[]): Lists => {
  const cached = lists.get(ranges)
  if (cached) return cached
  const created = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const { address, prefix, family } of ranges) {
    const network = canonicalAddress(address)
    // A range of mapped addresses is an IPv4 range. Its prefix includes the 96 bits before the IPv4 address.
    if (isIPv4(network)) created.ipv4.addSubnet(network, family === 'ipv6' ? Math.max(0, prefix - 96) : prefix, 'ipv4')
    else created.ipv6.addSubnet(network, prefix, 'ipv6')
  }
  lists.set(ranges, created)
  return created
}

const lists = new WeakMap<readonly AddressRange[], Lists>()

export const bytesOf = (groups: readonly number[]): number[] => groups.flatMap(group => [group >> 8, group & 0xff])

/** The eight groups of a valid IPv6 address. Not parsed with URL, because Bun's rejects `::0:0:0:0:1.2.3.4`. */
export const groupsOf = (address: string): number[] => {
  const [left = [], right] = address.replace(/%.*$/, '').split('::').map(groupsIn)
  return right === undefined ? [...left] : [...left, ...Array(8 - left.length - right.length).fill(0), ...right]
}

/** An IPv4 address at the end is two groups. */
const groupsIn = (text: string): number[] =>
  text === ''
    ? []
    : text.split(':').flatMap(part => {
        if (!isIPv4(part)) return Number.parseInt(part, 16)
        const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
        return [a * 256 + b, c * 256 + d]
      })
