import { isIPv4, isIPv6 } from 'node:net'

export type AddressRange = { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' }

/** The same few addresses come again and again, and taking one apart costs more than all else that is asked of it. */
export const remembered = <T>(find: (address: string) => T, most = 1_000): ((address: string) => T) => {
  const known = new Map<string, T>()
  return address => {
    const found = known.get(address)
    if (found !== undefined) return found
    if (known.size >= most) known.clear()
    const made = find(address)
    known.set(address, made)
    return made
  }
}

/** One spelling per address: no zone, lower case, and IPv4 that comes by an IPv6 socket as IPv4. */
export const plain = remembered(address => {
  const bare = address.replace(/%.*$/, '').toLowerCase()
  if (!isIPv6(bare)) return bare
  const groups = groupsOf(bare)
  if (!isMapped(groups)) return new URL(`http://[${bare}]`).hostname.slice(1, -1)
  return bytesOf(groups).slice(12).join('.')
})

const isMapped = (groups: readonly number[]): boolean =>
  groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff

/** Of an address in the spelling that `plain` gives. */
export const isWithin = (address: string, ranges: readonly AddressRange[]): boolean =>
  ranges.some(range => {
    const of = plain(range.address)
    // A range of mapped addresses is one of IPv4: its prefix counts the 96 bits before.
    const prefix = isIPv4(of) && range.family === 'ipv6' ? Math.max(0, range.prefix - 96) : range.prefix
    if (isIPv4(of) !== isIPv4(address) || isIPv6(of) !== isIPv6(address)) return false
    return bitsOf(address).slice(0, prefix) === bitsOf(of).slice(0, prefix)
  })

const bitsOf = (address: string): string =>
  (isIPv6(address) ? bytesOf(groupsOf(address)) : address.split('.').map(Number))
    .map(byte => byte.toString(2).padStart(8, '0'))
    .join('')

export const bytesOf = (groups: readonly number[]): number[] => groups.flatMap(group => [group >> 8, group & 0xff])

/** The eight groups of an address that isIPv6 has approved. */
export const groupsOf = (address: string): number[] => {
  // The URL parser knows every spelling, and leaves only `::` to be filled in.
  const [left = '', right] = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1).split('::')
  const head = left === '' ? [] : left.split(':')
  const tail = right === undefined || right === '' ? [] : right.split(':')
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...gap, ...tail].map(group => Number.parseInt(group, 16))
}
