import { hash } from 'node:crypto'
import type { Random } from '../dependencies.ts'

/** 256 random bits. Anyone who knows them can set the destination of the refund. */
export const makeClaimSecret = (random: Random): string => Buffer.from(random(new Uint8Array(32))).toString('base64url')

/** Returns undefined for a text that does not have the format of a claim secret. */
export const hashClaimSecret = (text: string): Buffer | undefined =>
  /^[\w-]{43}$/.test(text) ? hash('sha256', text, 'buffer') : undefined
