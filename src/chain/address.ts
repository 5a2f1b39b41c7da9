import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

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
  const hash = keccak_256(utf8ToBytes(small))
  for (let at = 0; at < DIGITS; at++) {
    const digit = small.charCodeAt(at)
    const byte = hash[at >> 1] ?? 0
    const isHigh = (at % 2 === 0 ? byte >> 4 : byte & 15) >= 8
    spelled[at] = digit >= SMALL_A && isHigh ? digit - TO_LARGE : digit
  }
  return `0x${spelled.toString('latin1')}`
}

// Every read of a payment spells one that was not met before: letter by letter as texts took longer than the hash.
const DIGITS = 40
const spelled = Buffer.alloc(DIGITS)
const SMALL_A = 97
const TO_LARGE = 32
