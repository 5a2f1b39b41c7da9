import { expect, test } from 'bun:test'
import { hashRecoveryCode, makeRecoveryCodes } from '../../src/access/recovery-codes.ts'
import { random } from './keys.ts'

test('ten codes of 80 bits, without letters that look alike', () => {
  const codes = makeRecoveryCodes(random)
  expect(codes).toHaveLength(10)
  for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
  expect(new Set(codes).size).toBe(10)
})

test('a code is accepted with any separators and with misread letters', () => {
  const hash = hashRecoveryCode('0123-4567-89ab-cdef')
  expect(hash).toHaveLength(32)
  for (const text of ['0123456789abcdef', ' 0123 4567 89AB CDEF ', 'O123-4567-89ab-cdef', '0l23-4567-89ab-cdef'])
    expect(hashRecoveryCode(text)).toEqual(hash as never)
  expect(hashRecoveryCode('0123-4567-89ab-cdeg')).not.toEqual(hash)
})

test('an invalid code has no hash', () => {
  for (const text of ['', '123456', '0123-4567-89ab-cde', '0123-4567-89ab-cdefg', 'u123-4567-89ab-cdef', '\0'])
    expect(hashRecoveryCode(text)).toBeUndefined()
})
