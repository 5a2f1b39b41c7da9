import { parseAddress } from './address.ts'

/** Cached addresses. A server shows the same few again and again. A power of two. */
const MAX_CACHED = 8_192

type Entry = { readonly address: string; readonly result: string }

/**
 * The place of an entry is computed from its address, so an export of a million addresses replaces entries one by one. A map
 * that is cleared when it is full left megabytes of old strings to the garbage collector, and no entry to the other requests.
 */
const cache: (Entry | undefined)[] = Array.from({ length: MAX_CACHED }, () => undefined)

/** The address with its EIP-55 checksum, as wallets and the API show it. */
export const checksummed = (address: string): string => {
  const place = placeOf(address)
  const cached = cache[place]
  if (cached?.address === address) return cached.result
  // Not a valid recipient, but the sender of minted tokens. It has no letters, so no checksum.
  const result = parseAddress(address) ?? address
  cache[place] = { address, result }
  return result
}

export const checksummedOrNull = (address: string | null): string | null => address && checksummed(address)

/** By the first and the last digits: an address can end or begin with many zeros. */
const placeOf = (address: string): number => {
  let hash = 0
  for (let at = 2; at < 10; at++)
    hash = (hash * 31 + address.charCodeAt(at) + 7 * address.charCodeAt(address.length + 1 - at)) | 0
  return (hash ^ (hash >>> 13)) & (MAX_CACHED - 1)
}
