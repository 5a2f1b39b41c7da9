import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../keyring.ts'

const PURPOSE = 'receipt'

/** Gives read access to the receipt of a payment, and to nothing else. It is always the same for a payment. */
export const makeReceiptToken = (keyring: Keyring, paymentId: string): string =>
  macOf(keyring.signing(PURPOSE).current.key, paymentId).toString('base64url')

/** Tokens of the previous key are accepted too. */
export const isReceiptToken = (keyring: Keyring, paymentId: string, token: string): boolean => {
  // One spelling only: base64url with other padding bits, or with padding, decodes to the same bytes.
  if (!/^[\w-]{42}[AEIMQUYcgkosw048]$/.test(token)) return false
  const shown = Buffer.from(token, 'base64url')
  return keyring.signing(PURPOSE).all.some(({ key }) => timingSafeEqual(shown, macOf(key, paymentId)))
}

const macOf = (key: Uint8Array, paymentId: string): Buffer => createHmac('sha256', key).update(paymentId).digest()
