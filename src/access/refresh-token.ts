import { createHash, createHmac } from 'node:crypto'
import type { Keyring } from '../keyring.ts'
import type { Random } from '../outside.ts'

/**
 * A refresh token is 16 bytes that name its session and 32 that nobody can guess. The next one is
 * derived from it, so that whoever shows it twice can be given the same successor although only
 * hashes are stored.
 */
export type RefreshToken = { readonly text: string; readonly sessionId: string; readonly hash: Uint8Array }

export const makeRefreshToken = (sessionId: string, random: Random): RefreshToken =>
  build(sessionId, random(new Uint8Array(32)))

/** Undefined for whatever is not spelled like one. */
export const parseRefreshToken = (text: string): RefreshToken | undefined => {
  if (!/^[\w-]{64}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const sessionId = bytes
    .subarray(0, 16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return build(sessionId, bytes.subarray(16))
}

/** What may come after the token: by the current secret key first, then by the one before it. */
export const successorsOf = (keyring: Keyring, { text, sessionId }: RefreshToken): readonly RefreshToken[] =>
  keyring.signing('refresh').all.map(({ key }) => build(sessionId, createHmac('sha256', key).update(text).digest()))

const build = (sessionId: string, secret: Uint8Array): RefreshToken => {
  const text = Buffer.concat([Buffer.from(sessionId.replaceAll('-', ''), 'hex'), secret]).toString('base64url')
  return { text, sessionId, hash: createHash('sha256').update(text).digest() }
}
