import { hash } from 'node:crypto'
import type { Random } from '../outside.ts'

/**
 * `sk_test_` or `sk_live_`, a tag of 6 characters, 256 random bits in 52, a checksum of 6. The tag may
 * be seen anywhere and tells which key is meant; the checksum tells a typo from a key that is gone
 * without asking the database.
 */
export type ApiKey = {
  /** Shown once, to whoever asked for it. */
  readonly secret: string
  readonly tag: string
  readonly last4: string
  /** All that is kept of the secret. */
  readonly hash: Uint8Array
}

export const makeApiKey = (livemode: boolean, random: Random): ApiKey => {
  const tag = toBase32(random(new Uint8Array(4))).slice(0, 6)
  const body = `sk_${livemode ? 'live' : 'test'}_${tag}${toBase32(random(new Uint8Array(32)))}`
  const secret = body + checksum(body)
  return { secret, tag, last4: secret.slice(-4), hash: hashApiKey(secret) }
}

/** Whether it could be a key at all. */
export const isApiKey = (text: string): boolean => shape.test(text) && text.endsWith(checksum(text.slice(0, -6)))

export const hashApiKey = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** The same as a text, a character for each byte. */
export const spellHash = (secret: string): string => hash('sha256', secret, 'binary')

const shape = /^sk_(?:test|live)_[0-9a-hjkmnp-tv-z]{64}$/

const checksum = (body: string): string => toBase32(hashApiKey(body).subarray(0, 4)).slice(0, 6)

/** No letter looks like a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Five bits to a character, the first ones first. */
const toBase32 = (bytes: Uint8Array): string => {
  let text = ''
  let value = 0
  let bits = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31]
    value &= 31
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text
}
