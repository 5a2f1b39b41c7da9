import type { Random } from './world.ts'

/** A UUIDv7: 48 bits of time, then randomness. Sorted by time, so that new rows land together in an index. */
export const uuidv7 = (at: Date, random: Random): string => {
  const bytes = random(new Uint8Array(16))
  const ms = at.getTime()
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(ms / 2 ** (8 * (5 - i))) & 0xff
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return uuidOf(bytes)
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const uuidOf = (bytes: Uint8Array): string => {
  let text = ''
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += '-'
    text += hex[bytes[i] ?? 0]
  }
  return text
}

/** What an id on the wire begins with. Events have none: theirs are plain UUIDs. */
export type Prefix =
  | 'pay'
  | 're'
  | 'plink'
  | 'dp'
  | 'mer'
  | 'usr'
  | 'key'
  | 'whe'
  | 'whd'
  | 'cus'
  | 'inv'
  | 'sub'
  | 'invite'
  | 'session'

/** Crockford's base32, lower case: no letter looks like a digit, and texts sort as the bytes do. */
const base32 = '0123456789abcdefghjkmnpqrstvwxyz'

/** `pay_01m7ygh5qmfvg9bxgmmwc0qqnf`: the prefix and the UUID, a byte in two characters and 15 in 24. */
export const encodeId = (prefix: Prefix, uuid: string): string => {
  const digits = uuid.replaceAll('-', '')
  let text = `${prefix}_${toBase32(digits.slice(0, 2), 2)}`
  for (let at = 2; at < 32; at += 5) text += toBase32(digits.slice(at, at + 5), 4)
  return text
}

/** The UUID of an id that is spelled as `encodeId` does, and undefined for anything else. */
export const decodeId = (prefix: Prefix, id: string): string | undefined => {
  const text = id.slice(prefix.length + 1)
  // Two characters hold more than a byte: `7z` is the last that is one.
  if (!id.startsWith(`${prefix}_`) || !/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)) return undefined
  let digits = toHex(text.slice(0, 2), 2)
  for (let at = 2; at < 26; at += 4) digits += toHex(text.slice(at, at + 4), 5)
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const toBase32 = (digits: string, length: number): string => {
  const value = Number.parseInt(digits, 16)
  let text = ''
  for (let shift = 5 * (length - 1); shift >= 0; shift -= 5) text += base32[(value >> shift) & 31]
  return text
}

const toHex = (text: string, length: number): string => {
  let value = 0
  for (const character of text) value = (value << 5) | base32.indexOf(character)
  return value.toString(16).padStart(length, '0')
}
