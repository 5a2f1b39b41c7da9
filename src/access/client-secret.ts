import { hash } from 'node:crypto'
import type { Random } from '../outside.ts'

/** `pay_…_secret_…` with 256 random bits: told to the customer who opens a checkout, kept as its hash. */
export const makeClientSecret = (paymentId: string, random: Random): string =>
  `${paymentId}_secret_${Buffer.from(random(new Uint8Array(32))).toString('base64url')}`

export const hashClientSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')
