import { Secret, TOTP } from 'otpauth'
import type { Random } from '../dependencies.ts'

/** Six digits, HMAC-SHA-1, thirty seconds: the only parameters that every authenticator app supports. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 }

/** 160 bits in base32, as typed by people who cannot scan the QR code. */
export const makeTotpSecret = (random: Random): string =>
  new Secret({ buffer: random(new Uint8Array(20)).slice().buffer }).base32

export const otpauthUrl = (secret: string, email: string): string =>
  new TOTP({ ...form, issuer: 'paymachine', label: email, secret }).toString()

/** The time step for which the code is valid: the current one, the previous or the next, because clocks differ. */
export const findTotpStep = (secret: string, code: string, at: Date): number | undefined => {
  const totp = new TOTP({ ...form, secret })
  const timestamp = at.getTime()
  const delta = totp.validate({ token: code, timestamp, window: 1 })
  return delta === null ? undefined : totp.counter({ timestamp }) + delta
}
