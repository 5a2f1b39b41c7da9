import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from '@noble/hashes/utils.js'

/** Whether a block's bloom has the three bits of an address or a topic; false is certain, true is a guess. */
export const isIn = (bloom: string, entry: string): boolean => {
  const bits = bitsOf(entry)
  return bits.every(bit => {
    // The last byte holds the first eight bits.
    const at = 2 + 2 * (255 - (bit >> 3))
    return ((Number.parseInt(bloom.slice(at, at + 2), 16) >> (bit & 7)) & 1) === 1
  })
}

/** The same few tokens are asked for in every block. */
const known = new Map<string, readonly number[]>()

const bitsOf = (entry: string): readonly number[] => {
  const found = known.get(entry)
  if (found) return found
  const hash = keccak_256(hexToBytes(entry.slice(2)))
  const bits = [0, 2, 4].map(at => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
  if (known.size > 1_000) known.clear()
  known.set(entry, bits)
  return bits
}
