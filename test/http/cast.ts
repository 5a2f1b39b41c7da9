import { expect } from 'bun:test'
import { SignJWT } from 'jose'
import { signAccessToken } from '../../src/access/access-token.ts'
import { signOut } from '../../src/commands/sessions.ts'
import { openKeyring } from '../../src/keyring.ts'
import { isGranted, type Scope, scopes } from '../../src/resources.ts'
import { insertKey } from '../access/keys.ts'
import type { ApiServer } from '../harness/api.ts'
import { forgetProof, member, operator, type Person, person, type Shop, shop } from './people.ts'

/** All kinds of callers and their credentials, for tests that call every route. */
export type Cast = {
  readonly shop: Shop
  readonly otherShop: Shop
  readonly developer: Person
  readonly viewer: Person
  /** An owner whose password was given too long ago. */
  readonly staleOwner: Person
  readonly removed: Person
  readonly operator: Person
  /** An operator in a session without a second factor. */
  readonly weakOperator: Person
  /** An operator whose code was given too long ago. */
  readonly staleOperator: Person
  /** Invalid access tokens, by what is wrong with them. */
  readonly badTokens: Readonly<Record<string, string>>
  /** Invalid API keys, by what is wrong with them. */
  readonly badKeys: Readonly<Record<string, string>>
  readonly keys: {
    readonly full: string
    readonly live: string
    /** A key with all other scopes. */
    without(scope: Scope | '*'): string
  }
}

export const castOf = async (server: ApiServer): Promise<Cast> => {
  const { api } = server
  const here = await shop(api, 'Lamps')
  const removed = await member(api, here, 'owner', 'removed@lamps.example')
  await api.sql`delete from members where account_id = ${removed.accountId}`
  const staleOwner = await member(api, here, 'owner', 'stale@lamps.example')
  await forgetProof(api, staleOwner)
  const staleOperator = await operator(api)
  await forgetProof(api, staleOperator)
  const lacking = new Map<Scope | '*', string>()
  for (const scope of [...scopes, '*'] as const) {
    const others = scopes.filter(each => !isGranted([each], scope))
    lacking.set(scope, (await insertKey(api.sql, { merchantId: here.merchantId, scopes: others })).secret)
  }
  return {
    shop: here,
    otherShop: await shop(api, 'Chairs'),
    developer: await member(api, here, 'developer'),
    viewer: await member(api, here, 'viewer'),
    staleOwner,
    removed,
    operator: await operator(api),
    weakOperator: await operator(api, { secondFactor: false }),
    staleOperator,
    badTokens: await badTokensOf(server, here.owner),
    badKeys: await badKeysOf(server, here.merchantId),
    keys: {
      full: (await insertKey(api.sql, { merchantId: here.merchantId })).secret,
      live: (await insertKey(api.sql, { merchantId: here.merchantId, livemode: true })).secret,
      without: scope => lacking.get(scope) ?? expect.unreachable(),
    },
  }
}

const badTokensOf = async ({ api }: ApiServer, { accountId, bearer }: Person): Promise<Record<string, string>> => {
  const [head = '', payload = '', signature = ''] = bearer.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid: string; exp: number }
  const { current } = api.keyring.signing('access')
  const other = openKeyring('another secret key, for tests as well')
  const signed = (key: Uint8Array, changes: object = {}) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: current.id }).sign(key)
  const gone = await person(api, 'gone@lamps.example')
  const [session] = await api.sql<{ id: string }[]>`select id from sessions where account_id = ${gone.accountId}`
  await signOut(api, { accountId: gone.accountId, sessionId: session?.id ?? '' }, false, {
    address: '',
    network: '',
    userAgent: null,
  })
  return {
    'of a signed-out session': gone.bearer,
    'that has expired': await signAccessToken(
      api.keyring,
      { accountId, sessionId: claims.sid },
      new Date(Date.now() - 901_000),
    ),
    'of another server': await signAccessToken(other, { accountId, sessionId: claims.sid }, new Date()),
    'signed with another key under our id': await signed(other.signing('access').current.key),
    'signed with the key of another purpose': await signed(api.keyring.signing('refresh').current.key),
    'of another session': await signed(current.key, { sid: crypto.randomUUID() }),
    'of another account': await signed(current.key, { sub: crypto.randomUUID() }),
    'for another audience': await signed(current.key, { aud: 'another service' }),
    'with no algorithm': `${encoded({ alg: 'none', typ: 'JWT', kid: current.id })}.${payload}.`,
    'with no signature': `${head}.${payload}.`,
    'with another algorithm': `${encoded({ alg: 'HS512', typ: 'JWT', kid: current.id })}.${payload}.${signature}`,
    'with changed claims': `${head}.${encoded({ ...claims, exp: claims.exp + 1 })}.${signature}`,
    'that is truncated': bearer.slice(0, -1),
    'of one letter': 'x',
    'of a NUL': '%00',
  }
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const badKeysOf = async ({ sql }: ApiServer, merchantId: string): Promise<Record<string, string>> => {
  const { secret } = await insertKey(sql, { merchantId })
  const revoked = await insertKey(sql, { merchantId })
  await sql`update api_keys set revoked_at = now() where id = ${revoked.id}`
  const deleted = await insertKey(sql, { merchantId })
  await sql`delete from api_keys where id = ${deleted.id}`
  const last = secret.at(-1) === '0' ? '1' : '0'
  return {
    'that was revoked': revoked.secret,
    'that has expired': (await insertKey(sql, { merchantId, expiresInMs: -1 })).secret,
    'that does not exist': deleted.secret,
    'with a typo': secret.slice(0, -1) + last,
    'of the other mode': secret.replace('sk_test_', 'sk_live_'),
    'that is truncated': secret.slice(0, -1),
    'of one letter': 'sk_test_x',
  }
}
