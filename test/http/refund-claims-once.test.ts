import { afterAll, beforeAll, expect, test } from 'bun:test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { hashClaimSecret } from '../../src/access/claim-secret.ts'
import { audit } from '../../src/audit/audit.ts'
import { claimRoutes } from '../../src/http/refund-claims.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { claimMessage } from '../../src/pages/claims/message.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { findVisitedClaim } from '../../src/queries/refund-claims.ts'
import { rekey } from '../../src/rekey/rekey.ts'
import { sealedColumns } from '../../src/sealed-columns.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiServer, apiServer, SECRET_KEY } from '../harness/api.ts'
import { type Database, database } from '../harness/database.ts'
import { databaseProxy } from '../harness/proxy.ts'
import { until } from '../harness/until.ts'
import { expire, refundRow, secretOf, send, visit, wordsOf } from './claims.ts'
import { paid } from './payments.ts'
import { type Shop, shop } from './people.ts'

// Two servers on one database, like two processes behind one address.
let db: Database
let servers: readonly [ApiServer, ApiServer]
let lamps: Shop
let key: string
const newKey = 'the second secret key, long enough'
const opened = new AsyncDisposableStack()
const env = { API_RATE_LIMIT_TEST: '0', CHECKOUT_RATE_LIMIT: '0', PUBLIC_URL: 'https://pay.lamps.shop' }

const openServer = async (sql: Sql) =>
  opened.use(await apiServer({ routes: [...refundRoutes, ...claimRoutes], env, outside: { sql } }))

beforeAll(async () => {
  db = opened.use(await database())
  servers = [await openServer(db.sql), await openServer(db.sql)]
  lamps = await shop(servers[0].api)
  key = (await insertKey(db.sql, lamps)).secret
})
afterAll(async () => {
  expect(await audit(db.sql, kinds)).toEqual([])
  await opened.disposeAsync()
})

const anyServer = (n: number) => servers[n % 2 === 0 ? 0 : 1]
const wallet = () => privateKeyToAccount(generatePrivateKey())
const rowOf = (id: string) => refundRow(servers[0].api, id)

const claimed = async () => {
  const { id: paymentId } = await paid(servers[0].api, { ...lamps, livemode: false })
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const answer = await servers[0].call('POST', `/v1/payments/${paymentId}/refunds`, { bearer: key, headers, json: {} })
  const { id, claimUrl } = answer.json as { id: string; claimUrl: string }
  return { id, secret: secretOf(claimUrl) }
}

const messageFor = async (secret: string, address: string, host = 'pay.lamps.shop') => {
  const claim = await findVisitedClaim(db.sql, hashClaimSecret(secret) ?? Buffer.of())
  if (!claim) throw new Error('the claim does not exist')
  return claimMessage(claim, host, address)
}

const signed = async (secret: string, by = wallet()) => ({
  address: by.address,
  signature: await by.signMessage({ message: await messageFor(secret, by.address) }),
})

test('of forty addresses given at the same time on two servers one is stored, and the others see a part of it', async () => {
  for (const withWallets of [false, true]) {
    const { id, secret } = await claimed()
    const forms = await Promise.all(
      Array.from({ length: 40 }, async () => ({
        ...(withWallets ? await signed(secret) : { address: wallet().address }),
        confirmed: 'yes',
      })),
    )
    const answers = await Promise.all(forms.map((form, n) => send(anyServer(n), secret, form)))
    const winners = answers.flatMap(({ status }, n) => (status === 200 ? [forms[n]?.address] : []))
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(39)
    expect(winners).toHaveLength(1)
    expect(await rowOf(id)).toEqual({
      ...{ state: 'requires_signature', destination: winners[0] ?? '', named: 1, proofs: withWallets ? 1 : 0 },
    })
    const shown = `${winners[0]?.slice(0, 6)}…${winners[0]?.slice(-4)}`
    for (const answer of answers.filter(({ status }) => status === 409)) expect(wordsOf(answer)).toContain(shown)
  }
})

test('an address given while the claim is canceled or expires is either stored or refused as too late', async () => {
  for (let round = 0; round < 6; round++) {
    const { id, secret } = await claimed()
    const cancel = () => servers[1].call('POST', `${lamps.path}/refunds/${id}/cancel`, { bearer: lamps.owner.bearer })
    const [named] = await Promise.all([
      send(servers[0], secret, { address: wallet().address, confirmed: 'yes' }),
      round % 2 === 0 ? cancel() : expire(servers[1].api, id),
    ])
    const row = await rowOf(id)
    expect([named.status, row?.named]).toEqual(named.status === 200 ? [200, 1] : [410, 0])
    expect(row?.destination === null).toBe(named.status === 410)
  }
})

test('when any database response is lost, the same form sent again shows what was done', async () => {
  const proxy = opened.use(await databaseProxy(db.url))
  const sql = opened.adopt(connect(proxy.url, { max: 1 }), pool => pool.end({ timeout: 1 }))
  const server = await openServer(sql)
  for (let heard = 0; heard < 4; heard++) {
    const { id, secret } = await claimed()
    const form = { ...(await signed(secret)), confirmed: 'yes' }
    await until(async () => (await visit(server, secret)).status === 200)
    proxy.cutInsteadOfAnswer(heard + 1)
    const first = send(server, secret, form)
    expect([200, 503]).toContain((await first).status)
    const again = await until(async () => {
      const answer = await send(server, secret, form)
      return answer.status === 200 && answer
    })
    expect(wordsOf(again)).toContain(form.address)
    expect(await rowOf(id)).toMatchObject({ destination: form.address, named: 1, proofs: 1 })
  }
})

test('a signature proves ownership of the address and names its purpose', async () => {
  const { id, secret } = await claimed()
  const account = wallet()
  const form = await signed(secret, account)
  expect(await messageFor(secret, account.address)).toBe(
    [
      'Send my refund to this address. It belongs to me.',
      '',
      `Address: ${account.address.toLowerCase()}`,
      'Amount: 10.00 TUSD',
      `Refund: ${id}`,
      'Requested by: pay.lamps.shop',
    ].join('\n'),
  )
  const asked = await send(servers[0], secret, form)
  expect(wordsOf(asked)).toContain('Your wallet has confirmed')
  expect((await rowOf(id))?.proofs).toBe(0)
  expect((await send(servers[0], secret, { ...form, confirmed: 'yes' })).status).toBe(200)
  const [proof] = await db.sql`
    select address, message, signature, proven_at <= now() as proven
    from refund_destination_proofs where address = ${account.address}`
  expect(proof).toEqual({
    ...{ address: account.address, signature: form.signature, proven: true },
    message: await messageFor(secret, account.address),
  })
})

test('an invalid signature, or one of another account, refund, server or address, is refused and stores nothing', async () => {
  const [{ id, secret }, elsewhere] = [await claimed(), await claimed()]
  const account = wallet()
  const { address, signature } = await signed(secret, account)
  const sign = async (message: string, by = account) => by.signMessage({ message })
  const wrong: Record<string, string> = {
    'another account': await sign(await messageFor(secret, address), wallet()),
    'another refund': await sign(await messageFor(elsewhere.secret, address)),
    'another server': await sign(await messageFor(secret, address, 'pay.lamps.shop.evil')),
    'another address': await sign(await messageFor(secret, wallet().address)),
    'no text': await sign(''),
    short: signature.slice(0, -2),
    'in upper case': signature.toUpperCase(),
    'with a line end': `${signature}\n`,
    'that is no point of the curve': `0x${'f'.repeat(130)}`,
    'of zeros': `0x${'0'.repeat(130)}`,
    'with an invalid parity': `${signature.slice(0, -2)}1f`,
    'a word': 'yes',
  }
  for (const [what, text] of Object.entries(wrong))
    for (const more of [{}, { confirmed: 'yes' }]) {
      const answer = await send(servers[0], secret, { address, signature: text, ...more })
      expect([what, answer.status, wordsOf(answer).includes('The signature does not belong to this address')]).toEqual([
        ...[what, 422, true],
      ])
      // So that the next try is sent without it.
      expect(answer.text).toContain('name="signature" type="hidden" value=""')
    }
  expect(await rowOf(id)).toMatchObject({ state: 'requires_destination', proofs: 0 })
})

test('a claim stays valid when its encryption key is rotated, and so does the stored response with its URL', async () => {
  await using later = await apiServer({
    routes: [...refundRoutes, ...claimRoutes],
    env: { ...env, SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: SECRET_KEY },
    outside: { sql: db.sql },
  })
  const { id: paymentId } = await paid(servers[0].api, { ...lamps, livemode: false })
  const asked = { bearer: key, headers: { 'idempotency-key': crypto.randomUUID() }, json: {} }
  const start = (server: ApiServer) => server.call('POST', `/v1/payments/${paymentId}/refunds`, asked)
  const first = await start(servers[0])
  for (const column of sealedColumns.filter(({ table }) => table === 'refund_claims'))
    expect(await rekey(db.sql, openKeyring(newKey, SECRET_KEY), column)).toMatchObject({ unreadable: [] })
  await using after = await apiServer({
    routes: [...refundRoutes, ...claimRoutes],
    env: { ...env, SECRET_KEY: newKey },
    outside: { sql: db.sql },
  })
  const { id, claimUrl } = first.json as { id: string; claimUrl: string }
  for (const server of [later, after]) {
    expect((await start(server)).text).toBe(first.text)
    expect((await server.call('GET', `/v1/refunds/${id}`, { bearer: key })).json).toMatchObject({ claimUrl })
    expect((await visit(server, secretOf(claimUrl))).status).toBe(200)
  }
})
