import { BlockList, isIPv4, isIPv6 } from 'node:net'

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
  if (isMapped(groups)) return bytesOf(groups).slice(12).join('.')
  return new URL(`http://[${groups.map(group => group.toString(16)).join(':')}]`).hostname.slice(1, -1)
})

const isMapped = (groups: readonly number[]): boolean =>
  groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff

/** Of an address in the spelling that `plain` gives. */
export const isInRanges = (address: string, ranges: readonly AddressRange[]): boolean => {
  if (isIPv4(address)) return listsOf(ranges).ipv4.check(address, 'ipv4')
  return isIPv6(address) && listsOf(ranges).ipv6.check(address, 'ipv6')
}

/** One of each family: some runtimes find IPv4 addresses in ranges of IPv6, such as `::/0`, and others do not. */
type Lists = { readonly ipv4: BlockList; readonly ipv6: BlockList }

const listsOf = (ranges: readonly AddressRange[]): Lists => {
  const known = lists.get(ranges)
  if (known) return known
  const made = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const { address, prefix, family } of ranges) {
    const of = plain(address)
    // A range of mapped addresses is one of IPv4: its prefix counts the 96 bits before.
    if (isIPv4(of)) made.ipv4.addSubnet(of, family === 'ipv6' ? Math.max(0, prefix - 96) : prefix, 'ipv4')
    else made.ipv6.addSubnet(of, prefix, 'ipv6')
  }
  lists.set(ranges, made)
  return made
}

const lists = new WeakMap<readonly AddressRange[], Lists>()

export const bytesOf = (groups: readonly number[]): number[] => groups.flatMap(group => [group >> 8, group & 0xff])

/** The eight groups of an address that isIPv6 has approved. Not by URL: Bun's refuses `::0:0:0:0:1.2.3.4`. */
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
