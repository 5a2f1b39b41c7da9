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

/**
 * The address in small letters, as it is stored and compared. Throws for every text that `parseAddress` refuses: a
 * wrong length, digit or checksum, and the zero address. For addresses that money or calls go to.
 */
export const requireAddress = (text: string): Address => {
  if (isLower(text)) return text
  const address = parseAddress(text)
  if (address === undefined) throw new TypeError(`${JSON.stringify(text)} is not an address`)
  return `0x${address.slice(2).toLowerCase()}`
}

/** Without a checksum there is nothing to compute: an audit reads a million of these. */
const isLower = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text) && !/^0x0{40}$/.test(text)

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
