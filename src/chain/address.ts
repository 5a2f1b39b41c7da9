import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

/** An address of an EVM chain, with the checksum of EIP-55 in its letters. */
export type Address = `0x${string}`

/**
 * Returns an address that money can be sent to, with its checksum, and undefined for any other text. An address in
 * lower case has no checksum and is accepted. Mixed case is a checksum: a wrong one is a typing error, and money sent
 * to a mistyped address is lost. So is money sent to the zero address.
 */
export const parseAddress = (text: string): Address | undefined => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text) || /^0x0{40}$/.test(text)) return undefined
  const address = withChecksum(text.slice(2).toLowerCase())
  return text === address || text === text.toLowerCase() ? address : undefined
}

/**
 * The address in lower case, as it is stored and compared. Throws for every text that `parseAddress` refuses: a wrong
 * length, digit or checksum, and the zero address. For addresses that money or calls go to.
 */
export const requireAddress = (text: string): Address => {
  if (isLower(text)) return text
  const address = parseAddress(text)
  if (address === undefined) throw new TypeError(`${JSON.stringify(text)} is not an address`)
  return `0x${address.slice(2).toLowerCase()}`
}

/** Skips the checksum, which takes time: an audit parses a million addresses. */
const isLower = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text) && !/^0x0{40}$/.test(text)

/** EIP-55: a letter is upper case where the hash of the lower-case address has a hexadecimal digit of 8 or more. */
const withChecksum = (lower: string): Address => {
  const hash = keccak_256(utf8ToBytes(lower))
  for (let at = 0; at < DIGITS; at++) {
    const digit = lower.charCodeAt(at)
    const byte = hash[at >> 1] ?? 0
    const isUpper = (at % 2 === 0 ? byte >> 4 : byte & 15) >= 8
    buffer[at] = digit >= LOWER_A && isUpper ? digit - TO_UPPER : digit
  }
  return `0x${buffer.toString('latin1')}`
}

// One buffer for all addresses: joining single letters took longer than the hash.
const DIGITS = 40
const buffer = Buffer.alloc(DIGITS)
const LOWER_A = 97
const TO_UPPER = 32
