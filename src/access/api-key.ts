import { hash } from 'node:crypto'
import type { Random } from '../dependencies.ts'

/**
 * `sk_test_` or `sk_live_`, a tag of 6 characters, 256 random bits in 52 characters, and a checksum of 6 characters.
 * The tag is public and identifies the key. The checksum detects typos without a database query.
 */
export type ApiKey = {
  /** Shown only once, when the key is created. */
  readonly secret: string
  readonly tag: string
  readonly last4: string
  /** The only part of the secret that is stored. */
  readonly hash: Uint8Array
}

export const makeApiKey = (livemode: boolean, random: Random): ApiKey => {
  const tag = toBase32(random(new Uint8Array(4))).slice(0, 6)
  const body = `sk_${livemode ? 'live' : 'test'}_${tag}${toBase32(random(new Uint8Array(32)))}`
  const secret = body + checksum(body)
  return { secret, tag, last4: secret.slice(-4), hash: hashApiKey(secret) }
}

/** Whether the text has the format and checksum of a key. */
export const isApiKey = (text: string): boolean => shape.test(text) && text.endsWith(checksum(text.slice(0, -6)))

export const hashApiKey = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** The same hash as text, with one character per byte. */
export const hashAsText = (secret: string): string => hash('sha256', secret, 'binary')

const shape = /^sk_(?:test|live)_[0-9a-hjkmnp-tv-z]{64}$/

const checksum = (body: string): string => toBase32(hashApiKey(body).subarray(0, 4)).slice(0, 6)

/** Crockford's base32: no letter looks like a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Five bits per character, most significant bits first. */
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
