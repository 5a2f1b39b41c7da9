import { createHash } from 'node:crypto'
import type { Random } from '../dependencies.ts'

/** 128 random bits in the address of the page of an invoice. Anyone who knows them can read and pay the invoice. */
export const makeInvoiceToken = (random: Random): string =>
  Buffer.from(random(new Uint8Array(16))).toString('base64url')

/** In hexadecimal digits. Undefined for a text that does not have the format of a token. */
export const hashInvoiceToken = (token: string): string | undefined =>
  /^[\w-]{22}$/.test(token) ? createHash('sha256').update(token).digest('hex') : undefined
