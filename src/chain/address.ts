import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** An address of an EVM chain, with the checksum of EIP-55 in its letters. */
export type Address = `0x${string}`

/**
 * The address somebody wrote, if it is one that money can be sent to. All small letters carry no
 * checksum and are taken; letters of both sizes are a checksum, and a wrong one is a typing error
 * that nobody could undo later. What is sent to the zero address is lost.
 */
export const parseAddress = (text: string): Address | undefined => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text) || /^0x0{40}$/.test(text)) return undefined
  const address = withChecksum(text.slice(2).toLowerCase())
  return text === address || text === text.toLowerCase() ? address : undefined
}

/** A letter is large where the hash of the small spelling has a digit of eight or more. */
const withChecksum = (small: string): Address => {
  const hash = bytesToHex(keccak_256(utf8ToBytes(small)))
  return `0x${small.replace(/./g, (digit, at: number) => (Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit))}`
}
