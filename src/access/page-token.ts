import { createHash } from 'node:crypto'
import type { Random } from '../dependencies.ts'

/**
 * 128 random bits in the address of the page of an invoice or a subscription. Anyone who knows them can read the page, and pay
 * or cancel there.
 */
export const makePageToken = (random: Random): string => Buffer.from(random(new Uint8Array(16))).toString('base64url')

/** In hexadecimal digits. Undefined for a text that does not have the format of a token. */
export const hashPageToken = (token: string): string | undefined =>
  /^[\w-]{22}$/.test(token) ? createHash('sha256').update(token).digest('hex') : undefined
