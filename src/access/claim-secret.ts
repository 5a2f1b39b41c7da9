import { hash } from 'node:crypto'
import type { Random } from '../outside.ts'

/** 256 random bits: whoever has them may say where a refund goes. */
export const makeClaimSecret = (random: Random): string => Buffer.from(random(new Uint8Array(32))).toString('base64url')

/** Undefined for what cannot be one. */
export const hashClaimSecret = (text: string): Buffer | undefined =>
  /^[\w-]{43}$/.test(text) ? hash('sha256', text, 'buffer') : undefined
