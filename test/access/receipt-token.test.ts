import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { isReceiptToken, makeReceiptToken } from '../../src/access/receipt-token.ts'
import { openKeyring } from '../../src/keyring.ts'

const old = openKeyring('the key of last year, which nobody knows')
const keyring = openKeyring('the key of this year, which nobody knows', 'the key of last year, which nobody knows')
const next = openKeyring('the key of next year, which nobody knows', 'the key of this year, which nobody knows')

const id = '01938000-0000-7000-8000-000000000001'
const otherId = '01938000-0000-7000-8000-000000000002'
const token = makeReceiptToken(keyring, id)

test('a token reads the receipt of its payment and of no other', () => {
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(makeReceiptToken(keyring, id)).toBe(token)
  expect(isReceiptToken(keyring, id, token)).toBe(true)
  expect(isReceiptToken(keyring, otherId, token)).toBe(false)
  expect(isReceiptToken(openKeyring('the key of another server'), id, token)).toBe(false)
})

test('a token outlives one rotation of the server key, and not two', () => {
  expect(isReceiptToken(keyring, id, makeReceiptToken(old, id))).toBe(true)
  expect(isReceiptToken(next, id, token)).toBe(true)
  expect(isReceiptToken(next, id, makeReceiptToken(old, id))).toBe(false)
})

test('a signature for another purpose is no token', () => {
  const { key } = keyring.signing('access').current
  expect(isReceiptToken(keyring, id, createHmac('sha256', key).update(id).digest('base64url'))).toBe(false)
})

const last = token.at(-1) ?? ''
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const malformed = [
  ...['', 'x', token.slice(1), token.slice(0, -1), `${token}A`, `${token}=`, ` ${token}`, `${token}\n`, `${token}\0`],
  // Decodes to the same bytes.
  token.slice(0, -1) + alphabet[alphabet.indexOf(last) + 1],
  token.toUpperCase(),
  Buffer.from(token, 'base64url').toString('base64'),
  Buffer.from(token, 'base64url').toString('hex'),
]
test.each(malformed.map(text => [JSON.stringify(text), text]))('%s is no token', (_, text) => {
  expect(isReceiptToken(keyring, id, text)).toBe(false)
})
