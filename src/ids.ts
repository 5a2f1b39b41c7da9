import { createHash } from 'node:crypto'
import type { Random } from './dependencies.ts'
import type { IdPrefix } from './resources.ts'

/** A UUIDv7: 48 bits of time, then randomness. Sorted by time, so that new rows land together in an index. */
export const uuidv7 = (at: Date, random: Random): string => {
  random(drawn)
  const ms = at.getTime()
  const high = Math.floor(ms / 2 ** 16)
  drawn[0] = high >>> 24
  drawn[1] = high >>> 16
  drawn[2] = high >>> 8
  drawn[3] = high
  drawn[4] = ms / 2 ** 8
  drawn[5] = ms
  drawn[6] = ((drawn[6] ?? 0) & 0x0f) | 0x70
  drawn[8] = ((drawn[8] ?? 0) & 0x3f) | 0x80
  return uuidOf(drawn)
}

const drawn = new Uint8Array(16)

/** The same for the same parts, whoever asks: the id of a command that may be sent twice. */
export const uuidFrom = (parts: readonly (string | number)[]): string =>
  uuidOf(createHash('sha256').update(parts.join(' ')).digest())

// A command draws two, and a text put together of pieces costs five times as much as one read from bytes.
const spelledUuid = Buffer.from('00000000-0000-0000-0000-000000000000')
const hex = Buffer.from('0123456789abcdef')

const uuidOf = (bytes: Uint8Array): string => {
  for (let i = 0, to = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) to++
    const byte = bytes[i] ?? 0
    spelledUuid[to++] = hex[byte >> 4] ?? 0
    spelledUuid[to++] = hex[byte & 15] ?? 0
  }
  return spelledUuid.toString('latin1')
}

/** Crockford's base32, lower case: no letter looks like a digit, and texts sort as the bytes do. */
const base32 = '0123456789abcdefghjkmnpqrstvwxyz'

/** What a character stands for, by its code. */
const valuesOf = (digits: string): Uint8Array => {
  const values = new Uint8Array(128)
  for (let value = 0; value < digits.length; value++) values[digits.charCodeAt(value)] = value
  return values
}
const hexValues = valuesOf('0123456789abcdef')
const base32Values = valuesOf(base32)

/** `pay_01m7ygh5qmfvg9bxgmmwc0qqnf`: the prefix and the UUID's 128 bits in 26 characters of five, two zeros ahead. */
export const encodeId = (prefix: IdPrefix, uuid: string): string => {
  let to = 0
  for (; to < prefix.length; to++) spelledId[to] = prefix.charCodeAt(to)
  spelledId[to++] = UNDERSCORE
  let bits = 0
  for (let at = 0, waiting = 2; at < uuid.length; at++) {
    const code = uuid.charCodeAt(at)
    if (code === HYPHEN) continue
    bits = (bits << 4) | (hexValues[code] ?? 0)
    waiting += 4
    if (waiting < 5) continue
    waiting -= 5
    spelledId[to++] = digits[bits >> waiting] ?? 0
    bits &= (1 << waiting) - 1
  }
  return spelledId.toString('latin1', 0, to)
}

// Ids are spelled in every answer, four of them in some, and JSON of a text in pieces takes three times as long.
const spelledId = Buffer.alloc(64)
const digits = Buffer.from(base32)
const UNDERSCORE = 95
const HYPHEN = 45

/** The UUID of an id that is spelled as `encodeId` does, and undefined for anything else. */
export const decodeId = (prefix: IdPrefix, id: string): string | undefined => {
  const text = id.slice(prefix.length + 1)
  // Two characters hold more than a byte: `7z` is the last that is one.
  if (!id.startsWith(`${prefix}_`) || !/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)) return undefined
  const bytes = new Uint8Array(16)
  let bits = 0
  for (let at = 0, byte = 0, waiting = -2; at < 26; at++) {
    bits = (bits << 5) | (base32Values[text.charCodeAt(at)] ?? 0)
    waiting += 5
    if (waiting < 8) continue
    waiting -= 8
    bytes[byte++] = bits >> waiting
    bits &= (1 << waiting) - 1
  }
  return uuidOf(bytes)
}
