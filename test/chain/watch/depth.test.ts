import { afterAll, beforeAll, expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { storeConfirmations } from '../../../src/chain/watch/chain-state.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { hashOf, issueAddress, type Ledger, openLedger } from './ledger.ts'

let server: ApiServer
let ledger: Ledger
let elsewhere: Ledger
let merchantId: string

const USUAL = 3

beforeAll(async () => {
  server = await apiServer({ routes: [] })
  merchantId = await insertMerchant(server.sql)
  ledger = await openLedger(server.sql)
  elsewhere = await openLedger(server.sql, 31338)
  await storeConfirmations(server.sql, 31337, USUAL)
})
afterAll(async () => {
  expect(await audit(server.sql, kinds)).toEqual([])
  await server[Symbol.asyncDispose]()
})

/** A payment whose merchant requires so many confirmations. */
const requiring = async (confirmationsRequired: number): Promise<MadePayment> => {
  const payment = await makePayment(server.api, { merchantId, livemode: false }, '')
  const pick = { address: payment.address, confirmationsRequired }
  await happen(server.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await issueAddress(server.sql, payment)
  return payment
}

const settle = async () => {
  do while ((await settlePayments(server.api)) > 0);
  while ((await ledger.deepen()) > 0)
}

const stateOf = async ({ actor }: MadePayment) => {
  const found = await findPayment(server.sql, { id: actor, merchantId, livemode: false })
  return found && { ...found.context, state: found.state }
}

const sending = ({ address }: MadePayment, amount = 1000n, tx?: string) => ({
  to: address.toLowerCase(),
  amount,
  ...(tx && { tx }),
})

test('final money makes a success only with the confirmations that its merchant requires', async () => {
  const [deep, usual] = [await requiring(USUAL + 3), await requiring(USUAL)]
  await ledger.block([sending(deep), sending(usual)])
  await ledger.finalize()
  await settle()
  expect(await stateOf(deep)).toMatchObject({ state: 'processing', amountReceived: 1000n, amountFinal: 0n })
  expect((await stateOf(usual))?.state).toBe('success')
  for (let blocks = 0; blocks < USUAL + 1; blocks++) {
    await ledger.block()
    await ledger.finalize()
    await settle()
  }
  expect((await stateOf(deep))?.state).toBe('processing')
  await ledger.block()
  await settle()
  expect(await stateOf(deep)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('confirmations without finality make no success', async () => {
  const payment = await requiring(USUAL + 1)
  await ledger.block([sending(payment)])
  for (let blocks = 0; blocks < 9; blocks++) await ledger.block()
  await settle()
  expect((await stateOf(payment))?.state).toBe('processing')
  await ledger.finalize()
  await settle()
  expect((await stateOf(payment))?.state).toBe('success')
})

test('of two transfers the one that is deep enough first counts first', async () => {
  const payment = await requiring(USUAL + 1)
  await ledger.block([sending(payment)])
  await ledger.block()
  await ledger.block([sending(payment, 500n, hashOf('excess', payment.actor))])
  await ledger.block()
  await ledger.finalize()
  await settle()
  expect(await stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n, exception: null })
  await ledger.block()
  await settle()
  expect(await stateOf(payment)).toMatchObject({ amountFinal: 1000n })
  await ledger.block()
  await settle()
  expect(await stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1500n, exception: 'overpaid' })
})

test('money on another chain does not make the payment a success earlier', async () => {
  const payment = await requiring(USUAL + 2)
  await ledger.block([sending(payment)])
  await ledger.finalize()
  await settle()
  await elsewhere.block([sending(payment)])
  await elsewhere.finalize()
  await settle()
  expect(await stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n, stray: 'wrong_chain' })
  for (let blocks = 0; blocks < USUAL + 1; blocks++) await ledger.block()
  await settle()
  expect(await stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('payments that wait for depth are not handled before their block, and leave no rows', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, () => requiring(USUAL + 4)))
  await ledger.block(many.map(payment => sending(payment)))
  await ledger.finalize()
  await settle()
  const waiting = () => server.sql`select from deeper_payments`
  const unsettled = () => server.sql`select from unsettled_payments`
  for (let blocks = 0; blocks < USUAL + 2; blocks++) {
    await ledger.block()
    await ledger.deepen()
    expect([(await waiting()).length, (await unsettled()).length]).toEqual([20, 0])
  }
  await ledger.block()
  await ledger.deepen()
  expect([(await waiting()).length, (await unsettled()).length]).toEqual([0, 20])
  await settle()
  for (const payment of many) expect((await stateOf(payment))?.state).toBe('success')
  expect([(await waiting()).length, (await unsettled()).length]).toEqual([0, 0])
})

test('a payment handled just after its block was reached is handled again', async () => {
  const payment = await requiring(USUAL + 1)
  await ledger.block([sending(payment)])
  await ledger.finalize()
  const { findUnsettled, recordApplied } = await import('../../../src/chain/watch/unsettled.ts')
  const [slow] = await findUnsettled(server.sql, 1)
  if (!slow) throw new Error('no payment is unsettled')
  for (let blocks = 0; blocks < USUAL + 1; blocks++) await ledger.block()
  await recordApplied(server.sql, [[slow, slow.payment]])
  expect((await stateOf(payment))?.state).toBe('pending')
  await settle()
  expect((await stateOf(payment))?.state).toBe('success')
})
