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
