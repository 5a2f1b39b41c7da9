import { Secret, TOTP } from 'otpauth'
import type { Random } from '../outside.ts'

/** Six digits of HMAC-SHA-1 every thirty seconds: the only form that every authenticator app knows. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 }

/** 160 bits in base32, as people type it where they cannot scan. */
export const makeTotpSecret = (random: Random): string =>
  new Secret({ buffer: random(new Uint8Array(20)).slice().buffer }).base32

export const otpauthUrl = (secret: string, email: string): string =>
  new TOTP({ ...form, issuer: 'paymachine', label: email, secret }).toString()

/** The step that the code is right for: this one, or the one before or after, since clocks differ. */
export const findTotpStep = (secret: string, code: string, at: Date): number | undefined => {
  const totp = new TOTP({ ...form, secret })
  const timestamp = at.getTime()
  const delta = totp.validate({ token: code, timestamp, window: 1 })
  return delta === null ? undefined : totp.counter({ timestamp }) + delta
}
