import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from '@noble/hashes/utils.js'

/**
 * Whether a block with this bloom filter may contain a log of the contract with the topic. True is only a possibility.
 * False is certain, so it is what confirms an empty answer to `eth_getLogs`.
 */
export const mayHaveLog = (logsBloom: string, address: string, topic: string): boolean =>
  mayContain(logsBloom, address) && mayContain(logsBloom, topic)

/** Each item sets three bits of 2,048; 11 bits of its hash select each of them. */
const mayContain = (logsBloom: string, item: string): boolean =>
  bitsOf(item).every(bit => (Number.parseInt(logsBloom.charAt(513 - (bit >> 2)), 16) & (1 << (bit & 3))) !== 0)

const bitsOf = (item: string): readonly number[] => {
  const known = remembered.get(item)
  if (known) return known
  const hash = new DataView(keccak_256(hexToBytes(item.slice(2))).buffer)
  const bits = [0, 2, 4].map(at => hash.getUint16(at) & 2_047)
  // The same few tokens are tested at every block. Callers test only the tokens that they watch.
  if (remembered.size < 10_000) remembered.set(item, bits)
  return bits
}

const remembered = new Map<string, readonly number[]>()
