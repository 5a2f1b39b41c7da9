import { createHash } from 'node:crypto'
import type { Random } from '../dependencies.ts'

/** Ten codes of 80 bits, such as `4x7k-…`, for users who have lost their authenticator. Each can be used once. */
export const makeRecoveryCodes = (random: Random): readonly string[] =>
  Array.from({ length: 10 }, () => {
    const letters = [...random(new Uint8Array(16))].map(byte => alphabet[byte & 31]).join('')
    return letters.replace(/(.{4})(?=.)/g, '$1-')
  })

/**
 * Returns undefined if the text is not a code. Ignores spaces, hyphens and case, and accepts letters misread as digits.
 */
export const hashRecoveryCode = (text: string): Uint8Array | undefined => {
  const code = text.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1')
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(code) ? createHash('sha256').update(code).digest() : undefined
}

/** Crockford's base32, which has no letter that looks like a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
