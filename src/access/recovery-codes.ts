import { createHash } from 'node:crypto'
import type { Random } from '../outside.ts'

/** For whoever has lost their authenticator: ten codes of 80 bits, `4x7k-…`, each good once. */
export const makeRecoveryCodes = (random: Random): readonly string[] =>
  Array.from({ length: 10 }, () => {
    const letters = [...random(new Uint8Array(16))].map(byte => alphabet[byte & 31]).join('')
    return letters.replace(/(.{4})(?=.)/g, '$1-')
  })

/** Undefined for what is not spelled like one, however it is set off and whatever was misread. */
export const hashRecoveryCode = (text: string): Uint8Array | undefined => {
  const code = text.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1')
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(code) ? createHash('sha256').update(code).digest() : undefined
}

/** Crockford's base32, which has no letter that looks like a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
