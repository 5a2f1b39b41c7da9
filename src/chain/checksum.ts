import { parseAddress } from './address.ts'

/** Cached addresses. A server shows the same few again and again. */
const MAX_CACHED = 10_000

const cache = new Map<string, string>()

/** The address with its EIP-55 checksum, as wallets and the API show it. */
export const checksummed = (address: string): string => {
  const cached = cache.get(address)
  if (cached !== undefined) return cached
  if (cache.size >= MAX_CACHED) cache.clear()
  // Not a valid recipient, but the sender of minted tokens. It has no letters, so no checksum.
  const result = parseAddress(address) ?? address
  cache.set(address, result)
  return result
}

export const checksummedOrNull = (address: string | null): string | null => address && checksummed(address)
