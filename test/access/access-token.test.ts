import { expect, test } from 'bun:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { readAccessToken, signAccessToken } from '../../src/access/access-token.ts'
import { openKeyring } from '../../src/keyring.ts'

const before = 'a secret key for tests and for nothing else'
const after = 'another secret key for tests and for nothing else'
const claims = { accountId: crypto.randomUUID(), sessionId: crypto.randomUUID() }
const at = new Date('2026-11-20T12:00:00.600Z')

test('a token has its account, its session and its expiry, and nothing else', async () => {
  const token = await signAccessToken(openKeyring(before), claims, at)
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT', kid: openKeyring(before).id })
  const iat = Math.floor(at.getTime() / 1000)
  expect(decodeJwt(token)).toEqual({
    ...{ iss: 'paymachine', aud: 'paymachine/v1', sub: claims.accountId, sid: claims.sessionId, iat, exp: iat + 900 },
  })
  expect(await readAccessToken(openKeyring(before), token)).toEqual({
    ...claims,
    expiresAt: new Date('2026-11-20T12:15:00.000Z'),
  })
})

test('a token signed with the previous secret key is valid, one with the key before that is not', async () => {
  const token = await signAccessToken(openKeyring(before), claims, at)
  expect(await readAccessToken(openKeyring(after, before), token)).toMatchObject(claims)
  expect(await readAccessToken(openKeyring(after), token)).toBeUndefined()
})
