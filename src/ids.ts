import { createHash } from 'node:crypto'
import type { Random } from './dependencies.ts'
import type { IdPrefix } from './resources.ts'

/** A UUIDv7: 48 bits of time, then random bits. It sorts by time, so new rows are next to each other in an index. */
export const uuidv7 = (at: Date, random: Random): string => {
  random(uuidBytes)
  const ms = at.getTime()
  const high = Math.floor(ms / 2 ** 16)
  uuidBytes[0] = high >>> 24
  uuidBytes[1] = high >>> 16
  uuidBytes[2] = high >>> 8
  uuidBytes[3] = high
  uuidBytes[4] = ms / 2 ** 8
  uuidBytes[5] = ms
  uuidBytes[6] = ((uuidBytes[6] ?? 0) & 0x0f) | 0x70
  uuidBytes[8] = ((uuidBytes[8] ?? 0) & 0x3f) | 0x80
  return uuidOf(uuidBytes)
}

const uuidBytes = new Uint8Array(16)

/** A UUID that is derived from the parts. It is the ID of a command that several processes may send. */
export const uuidFrom = (parts: readonly (string | number)[]): string =>
  uuidOf(createHash('sha256').update(parts.join(' ')).digest())

// A command needs two UUIDs, and concatenating strings takes five times as long as decoding a buffer.
const uuidText = Buffer.from('00000000-0000-0000-0000-000000000000')
const hex = Buffer.from('0123456789abcdef')

const uuidOf = (bytes: Uint8Array): string => {
  for (let i = 0, end = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) end++
    const byte = bytes[i] ?? 0
    uuidText[end++] = hex[byte >> 4] ?? 0
    uuidText[end++] = hex[byte & 15] ?? 0
  }
  return uuidText.toString('latin1')
}

/** Crockford's base32 in lower case: no letter looks like a digit, and texts sort like the bytes they encode. */
const base32 = '0123456789abcdefghjkmnpqrstvwxyz'

/** The values of the digits, by character code. */
const valuesOf = (digits: string): Uint8Array => {
  const values = new Uint8Array(128)
  for (let value = 0; value < digits.length; value++) values[digits.charCodeAt(value)] = value
  return values
}
const hexValues = valuesOf('0123456789abcdef')
const base32Values = valuesOf(base32)

/**
 * `pay_01m7ygh5qmfvg9bxgmmwc0qqnf`: the prefix, and 26 characters of 5 bits: two zero bits and the 128 bits of the
 * UUID.
 */
export const encodeId = (prefix: IdPrefix, uuid: string): string => {
  let end = 0
  for (; end < prefix.length; end++) idText[end] = prefix.charCodeAt(end)
  idText[end++] = UNDERSCORE
  let bits = 0
  for (let at = 0, pending = 2; at < uuid.length; at++) {
    const code = uuid.charCodeAt(at)
    if (code === HYPHEN) continue
    bits = (bits << 4) | (hexValues[code] ?? 0)
    pending += 4
    if (pending < 5) continue
    pending -= 5
    idText[end++] = digits[bits >> pending] ?? 0
    bits &= (1 << pending) - 1
  }
  return idText.toString('latin1', 0, end)
}

// Every response contains IDs, some contain four, and JSON.stringify takes three times as long for concatenated
// strings.
const idText = Buffer.alloc(64)
const digits = Buffer.from(base32)
const UNDERSCORE = 95
const HYPHEN = 45

/** The UUID of an ID from `encodeId`. Undefined for any other text. */
export const decodeId = (prefix: IdPrefix, id: string): string | undefined => {
  const text = id.slice(prefix.length + 1)
  // The first character encodes the highest 3 of the 128 bits, so it is at most 7.
  if (!id.startsWith(`${prefix}_`) || !/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)) return undefined
  const bytes = new Uint8Array(16)
  let bits = 0
  for (let at = 0, byte = 0, pending = -2; at < 26; at++) {
    bits = (bits << 5) | (base32Values[text.charCodeAt(at)] ?? 0)
    pending += 5
    if (pending < 8) continue
    pending -= 8
    bytes[byte++] = bits >> pending
    bits &= (1 << pending) - 1
  }
  return uuidOf(bytes)
}
