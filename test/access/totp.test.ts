import { expect, test } from 'bun:test'
import { Secret } from 'otpauth'
import { findTotpStep, makeTotpSecret, otpauthUrl } from '../../src/access/totp.ts'
import { random } from './keys.ts'

/** The key of RFC 6238, appendix B. An authenticator shows the last six of its eight digits. */
const rfc = Secret.fromUTF8('12345678901234567890').base32

test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('RFC 6238: at second %d the code is %s', (seconds, code) => {
  const step = Math.floor(seconds / 30)
  expect(findTotpStep(rfc, code.slice(2), new Date(seconds * 1000))).toBe(step)
  for (const away of [-1, 1])
    expect(findTotpStep(rfc, code.slice(2), new Date((seconds + away * 30) * 1000))).toBe(step)
  for (const away of [-2, 2])
    expect(findTotpStep(rfc, code.slice(2), new Date((seconds + away * 30) * 1000))).toBeUndefined()
})

test('a secret has 160 bits, all of which count', () => {
  const secrets = Array.from({ length: 50 }, () => makeTotpSecret(random))
  expect(new Set(secrets).size).toBe(50)
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  const part = new Uint8Array(30)
  // Only the given part of a larger buffer is used.
  expect(makeTotpSecret(() => part.subarray(3, 23))).toBe('A'.repeat(32))
})

test('the URL for authenticators names the service and the account', () => {
  const url = new URL(otpauthUrl(rfc, 'anna+x@lamps.example'))
  expect(decodeURIComponent(url.pathname)).toEndWith('paymachine:anna+x@lamps.example')
  expect(Object.fromEntries(url.searchParams)).toEqual({
    ...{ issuer: 'paymachine', secret: rfc, algorithm: 'SHA1', digits: '6', period: '30' },
  })
})
