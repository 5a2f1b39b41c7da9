import { hash } from 'node:crypto'
import type { Random } from '../dependencies.ts'

/** `pay_…_secret_…` with 256 random bits: returned to the customer who opens a checkout. Only its hash is stored. */
export const makeClientSecret = (paymentId: string, random: Random): string =>
  `${paymentId}_secret_${Buffer.from(random(new Uint8Array(32))).toString('base64url')}`

export const hashClientSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')
