import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { forwarderOf, saltOf } from '../../src/chain/forwarder.ts'
import { depositFor, recoverySecretOf } from '../../src/commands/deposits.ts'
import { openKeyring } from '../../src/keyring.ts'
import { rekey } from '../../src/rekey/rekey.ts'
import { sealedColumns } from '../../src/sealed-columns.ts'
import { insertMerchant } from '../access/keys.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { happen, makePayment, openPayment } from '../http/payments.ts'
import { payments } from '../machines/payment-cases.ts'
import { backUp } from '../signer/backup.ts'

let server: ApiServer
beforeAll(async () => {
  server = await apiServer({ routes: [] })
})
afterAll(() => server[Symbol.asyncDispose]())

const treasury = '0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB'
const keyring = openKeyring('a secret key for tests and for nothing else')

const newAddress = async (merchantId: string, paymentId: string = randomUUID(), to: `0x${string}` = treasury) =>
  depositFor(server.api, keyring, { merchantId, paymentId, treasury: to })

test("an address is derived from the treasury, the merchant's secret and a counter that is used once", async () => {
  const merchantId = await insertMerchant(server.sql)
  const [first, second] = [await newAddress(merchantId), await newAddress(merchantId)]
  const secret = await recoverySecretOf(server.api, keyring, merchantId)
  const at = forwarderOf(`0x${'ab'.repeat(20)}`)
  expect([first.deposit.address, second.deposit.address]).toEqual([at(saltOf(secret, 0)), at(saltOf(secret, 1))])
  expect(secret).toHaveLength(32)
})

test('a hundred simultaneous requests, some of them the first of their merchant, get a hundred addresses', async () => {
  const merchantIds = await Promise.all(Array.from({ length: 5 }, () => insertMerchant(server.sql)))
  const found = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => (await newAddress(merchantIds[n % 5] ?? '')).deposit.address),
  )
  expect(new Set(found).size).toBe(100)
})

test('a payment keeps its address when its asset changes, and gets another one for another treasury', async () => {
  const merchantId = await insertMerchant(server.sql)
  const payment = await makePayment(server.api, { merchantId, livemode: false }, '')
  const pick = async (to: `0x${string}`) => {
    const { deposit, rows } = await newAddress(merchantId, payment.actor, to)
    const event = { type: 'asset_picked', ...payments.events.pick, address: deposit.address }
    const outcome = await server.api.actors.dispatch({ kind: 'payment', actor: payment.actor, event, rows })
    expect(outcome.ok).toBe(true)
    return deposit.address
  }
  const first = await pick(treasury)
  const other = await pick(`0x${'cd'.repeat(20)}`)
  expect(await pick(treasury)).toBe(first)
  expect(other).not.toBe(first)
  expect(await server.sql`select from deposit_addresses where payment_id = ${payment.actor}`).toHaveLength(2)
})

test('an address is watched from the commit that gives it out, and not if that is refused', async () => {
  const merchantId = await insertMerchant(server.sql)
  const payment = await openPayment(server.api, { merchantId, livemode: false })
  await happen(server.api, payment.actor, { type: 'cancel' })
  const { rows, deposit } = await newAddress(merchantId, payment.actor)
  const event = { type: 'asset_picked', ...payments.events.pick, address: deposit.address }
  const outcome = await server.api.actors.dispatch({ kind: 'payment', actor: payment.actor, event, rows })
  expect(outcome.ok).toBe(false)
  expect(await server.sql`select from deposit_addresses where address = ${deposit.address}`).toHaveLength(0)
})

test('the recovery secret is encrypted for its merchant, and moved to a new key with the other secrets', async () => {
  const merchantId = await insertMerchant(server.sql)
  const secret = await recoverySecretOf(server.api, keyring, merchantId)
  const plain = Buffer.from(secret).toString('hex')
  const [row] = await server.sql<{ sealed: string }[]>`
    select sealed_secret as sealed from recovery_secrets where id = ${merchantId}`
  expect(row?.sealed).not.toContain(plain)
  const next = openKeyring('another secret key, which comes after', 'a secret key for tests and for nothing else')
  const column = sealedColumns.find(({ table }) => table === 'recovery_secrets')
  if (!column) throw new Error('the secrets are not moved to a new key')
  expect((await rekey(server.sql, next, column)).unreadable).toEqual([])
  expect(await recoverySecretOf(server.api, next, merchantId)).toEqual(secret)
  await expect(recoverySecretOf(server.api, keyring, merchantId)).rejects.toThrow(
    'its key is neither SECRET_KEY nor SECRET_KEY_PREVIOUS',
  )
})

const counterOf = async (merchantId: string) => (await newAddress(merchantId)).deposit.counter

test('the first statement on a restored database gives out an address that was not given out after the backup', async () => {
  const merchantId = await insertMerchant(server.sql)
  expect(await counterOf(merchantId)).toBe(0)
  const backup = await backUp(server.sql)
  for (const counter of [1, 2, 3]) expect(await counterOf(merchantId)).toBe(counter)
  await backup.restore()
  const after = await counterOf(merchantId)
  expect(after).toBeWithin(20_001, 30_001)
  expect(await counterOf(merchantId)).toBe(after + 1)
})

test('a secret without an address in the backup is not taken for one without addresses', async () => {
  const merchantId = await insertMerchant(server.sql)
  await recoverySecretOf(server.api, keyring, merchantId)
  const backup = await backUp(server.sql)
  expect(await counterOf(merchantId)).toBe(0)
  await backup.restore()
  expect(await counterOf(merchantId)).toBeGreaterThanOrEqual(20_000)
})

/** A server that was started again from a copy of its files, or simply started again. */
const restart = () => server.sql`update eras set postmaster_started = '2020-01-01'`

test.each([
  ['a minute', '1 minute', 0],
  ['an hour', '1 hour', 12],
  ['ten days', '10 days', 2_880],
  ['a year', '1 year', 20_000],
])('after a restart one number is skipped for each five minutes since the last: %s', async (_, ago, skipped) => {
  const merchantId = await insertMerchant(server.sql)
  expect(await counterOf(merchantId)).toBe(0)
  await server.sql`
    update recovery_secrets set counted_at = now() - ${ago}::text::interval where id = ${merchantId}`
  await restart()
  expect(await counterOf(merchantId)).toBe(1 + skipped)
  await restart()
  expect(await counterOf(merchantId)).toBe(2 + skipped)
})
