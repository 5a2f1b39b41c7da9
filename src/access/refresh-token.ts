import { createHash, createHmac } from 'node:crypto'
import type { Random } from '../dependencies.ts'
import type { Keyring } from '../keyring.ts'

/**
 * A refresh token consists of the 16 bytes of its session id and 32 secret bytes. The next token is derived from it, so
 * that a client that sends the same token twice gets the same successor, although only hashes are stored.
 */
export type RefreshToken = { readonly text: string; readonly sessionId: string; readonly hash: Uint8Array }

export const makeRefreshToken = (sessionId: string, random: Random): RefreshToken =>
  build(sessionId, random(new Uint8Array(32)))

/** Returns undefined for a text without the format of a refresh token. */
export const parseRefreshToken = (text: string): RefreshToken | undefined => {
  if (!/^[\w-]{64}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const sessionId = bytes
    .subarray(0, 16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return build(sessionId, bytes.subarray(16))
}

/** The possible successors of a token: derived with the current secret key, then with the previous one. */
export const successorsOf = (keyring: Keyring, { text, sessionId }: RefreshToken): readonly RefreshToken[] =>
  keyring.signing('refresh').all.map(({ key }) => build(sessionId, createHmac('sha256', key).update(text).digest()))

const build = (sessionId: string, secret: Uint8Array): RefreshToken => {
  const text = Buffer.concat([Buffer.from(sessionId.replaceAll('-', ''), 'hex'), secret]).toString('base64url')
  return { text, sessionId, hash: createHash('sha256').update(text).digest() }
}
