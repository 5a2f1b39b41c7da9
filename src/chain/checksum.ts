import { parseAddress } from './address.ts'

/** How many spellings are remembered; a house shows the same few over and over. */
const MOST = 10_000

const known = new Map<string, string>()

/** An address as wallets like to read it: small letters inside the house, with the checksum of EIP-55 on its way out. */
export const checksummed = (address: string): string => {
  const found = known.get(address)
  if (found !== undefined) return found
  if (known.size >= MOST) known.clear()
  // The zero address, which mints come from, is none to pay to, and has no letters.
  const spelled = parseAddress(address) ?? address
  known.set(address, spelled)
  return spelled
}

export const checksummedOrNull = (address: string | null): string | null => address && checksummed(address)
