import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { isApiKey, makeApiKey } from '../../src/access/api-key.ts'
import { random } from './keys.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

test.each([
  ['test', false],
  ['live', true],
] as const)('a key has the prefix of %s mode, and its SHA-256 is stored', (mode, livemode) => {
  const { secret, tag, last4, hash } = makeApiKey(livemode, random)
  expect(secret).toMatch(new RegExp(`^sk_${mode}_[${alphabet}]{64}$`))
  expect(secret.slice(8, 14)).toBe(tag)
  expect(secret.slice(-4)).toBe(last4)
  expect(Buffer.from(hash).toString('hex')).toBe(createHash('sha256').update(secret).digest('hex'))
  expect(isApiKey(secret)).toBe(true)
})

test('all 256 random bits are in the key', () => {
  const given = (bit: number) => (bytes: Uint8Array) => {
    if (bytes.length === 32) bytes[bit >> 3] = 1 << (bit & 7)
    return bytes
  }
  const secrets = Array.from({ length: 256 }, (_, bit) => makeApiKey(false, given(bit)).secret.slice(14, 66))
  expect(new Set(secrets).size).toBe(256)
})

test('one wrong character or two swapped neighbours are detected without a lookup', () => {
  const { secret } = makeApiKey(false, random)
  for (let at = 0; at < secret.length; at++) {
    for (const wrong of `${alphabet}oilu_A `) {
      const typo = secret.slice(0, at) + wrong + secret.slice(at + 1)
      if (typo !== secret) expect(isApiKey(typo)).toBe(false)
    }
    const swapped = secret.slice(0, at) + secret.slice(at + 1, at + 2) + secret.charAt(at) + secret.slice(at + 2)
    if (swapped !== secret) expect(isApiKey(swapped)).toBe(false)
  }
})

test.each([
  ['nothing', () => ''],
  ['a prefix', () => 'sk_test_'],
  ['a truncated key', secret => secret.slice(0, -1)],
  ['a key with another character', secret => `${secret}0`],
  ['a line break at the end', secret => `${secret}\n`],
  ['a space in front', secret => ` ${secret}`],
  ['capitals', secret => secret.toUpperCase()],
  ['the other mode', secret => secret.replace('test', 'live')],
  ['another prefix', secret => secret.replace('sk_', 'pk_')],
] satisfies [string, (secret: string) => string][])('%s is no valid key', (_, change) => {
  expect(isApiKey(change(makeApiKey(false, random).secret))).toBe(false)
})
