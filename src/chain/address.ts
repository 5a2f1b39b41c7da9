import { createKeccak } from 'hash-wasm'

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
  digits.write(lower, 'latin1')
  const hash = keccak256.init().update(digits).digest('binary')
  for (let at = 0; at < DIGITS; at++) {
    const digit = digits[at] ?? 0
    const byte = hash[at >> 1] ?? 0
    if (digit >= LOWER_A && (at % 2 === 0 ? byte >> 4 : byte & 15) >= 8) digits[at] = digit - TO_UPPER
  }
  return `0x${digits.toString('latin1')}`
}

// One buffer for all addresses: joining single letters took longer than the hash.
const DIGITS = 40
const digits = Buffer.alloc(DIGITS)
const LOWER_A = 97
const TO_UPPER = 32

// Compiled to WebAssembly: an address takes a fifth of the time that the hash of @noble/hashes does in JavaScript. An export of a
// million payments has two million addresses that are not in the cache. Runtimes have SHA-3, but not this hash.
const keccak256 = await createKeccak(256)
