import { expect, test } from 'bun:test'
import { openKeyring } from '../src/keyring.ts'

const old = 'the previous secret key, which is long enough'
const next = 'the new secret key, which is long enough'

test('encrypted text can be decrypted, and no two ciphertexts are equal', () => {
  const ring = openKeyring(old)
  for (const text of ['JBSWY3DPEHPK3PXP', '', 'ünïcödé 🔑', 'x'.repeat(10_000)]) {
    const sealed = ring.seal('mfa', 'account 1', text)
    expect(sealed).toMatch(/^v1\.[\w-]{8}\.[\w-]+$/)
    expect(ring.open('mfa', 'account 1', sealed)).toBe(text)
    expect(ring.seal('mfa', 'account 1', text)).not.toBe(sealed)
  }
})

test.each([
  ['another record', 'mfa', 'account 2'],
  ['another purpose', 'webhook', 'account 1'],
])('encrypted text cannot be decrypted for %s', (_, purpose, record) => {
  const ring = openKeyring(old)
  const sealed = ring.seal('mfa', 'account 1', 'JBSWY3DPEHPK3PXP')
  expect(() => ring.open(purpose, record, sealed)).toThrow('cannot decrypt')
})

test('a change of any byte is detected', () => {
  const ring = openKeyring(old)
  const [version, id, box = ''] = ring.seal('mfa', '1', 'JBSWY3DPEHPK3PXP').split('.')
  const bytes = Buffer.from(box, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => ring.open('mfa', '1', `${version}.${id}.${changed.toString('base64url')}`)).toThrow('changed')
  }
  for (const length of [0, 1, 12, 27, bytes.length - 1]) {
    const cut = bytes.subarray(0, length).toString('base64url')
    expect(() => ring.open('mfa', '1', `${version}.${id}.${cut}`)).toThrow('changed')
  }
})

test.each(['', 'JBSWY3DPEHPK3PXP', 'v1.only', 'v2.aaaaaaaa.AAAA', 'v1.a.b.c'])('%p is refused as ciphertext', text => {
  expect(() => openKeyring(old).open('mfa', '1', text)).toThrow('it is not encrypted')
})

test('with the previous key, its ciphertexts can still be decrypted, and new ones use the new key', () => {
  const before = openKeyring(old)
  const during = openKeyring(next, old)
  const after = openKeyring(next)
  expect(during.open('mfa', '1', before.seal('mfa', '1', 'text'))).toBe('text')
  expect(after.open('mfa', '1', during.seal('mfa', '1', 'text'))).toBe('text')
  expect(during.id).toBe(after.id)
})

test('a process that knows the new key as the previous one can decrypt what is encrypted with it', () => {
  const prepared = openKeyring(old, next)
  expect(prepared.open('mfa', '1', openKeyring(next, old).seal('mfa', '1', 'text'))).toBe('text')
  expect(prepared.id).toBe(openKeyring(old).id)
})

test('a missing key is reported, without any secret', () => {
  const sealed = openKeyring(old).seal('mfa', 'account 1', 'JBSWY3DPEHPK3PXP')
  try {
    openKeyring(next).open('mfa', 'account 1', sealed)
    expect.unreachable()
  } catch (error) {
    expect(String(error)).toContain('neither SECRET_KEY nor SECRET_KEY_PREVIOUS')
    for (const secret of [old, next, 'JBSWY3DPEHPK3PXP', sealed]) expect(String(error)).not.toContain(secret)
  }
})

test('every purpose has its own signing keys, the current one first', () => {
  const ring = openKeyring(next, old)
  const { current, all } = ring.signing('access')
  expect(all[0]).toEqual(current)
  expect(all[1]).toEqual(openKeyring(old).signing('access').current)
  expect(current).toEqual(openKeyring(next).signing('access').current)
  const keys = [...all, ...ring.signing('refresh').all].map(({ key }) => Buffer.from(key).toString('hex'))
  expect(new Set(keys).size).toBe(4)
  for (const key of keys) expect(key).toHaveLength(64)
})

test('the same key given as the previous one is one key', () => {
  expect(openKeyring(old, old).signing('access').all).toHaveLength(1)
})
