import { afterAll, beforeAll, expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { keepConfirmations } from '../../../src/chain/watch/books.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { giveOut, hashOf, type Ledger, openLedger } from './ledger.ts'

let house: ApiServer
let ledger: Ledger
let elsewhere: Ledger
let merchantId: string

const USUAL = 3

beforeAll(async () => {
  house = await apiServer({ routes: [] })
  merchantId = await insertMerchant(house.sql)
  ledger = await openLedger(house.sql)
  elsewhere = await openLedger(house.sql, 31338)
  await keepConfirmations(house.sql, 31337, USUAL)
})
afterAll(async () => {
  expect(await audit(house.sql, kinds)).toEqual([])
  await house[Symbol.asyncDispose]()
})

/** A payment whose merchant wants so many blocks. */
const requiring = async (confirmationsRequired: number): Promise<MadePayment> => {
  const payment = await makePayment(house.api, { merchantId, livemode: false }, '')
  const pick = { address: payment.address, confirmationsRequired }
  await happen(house.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await giveOut(house.sql, payment)
  return payment
}

const settle = async () => {
  do while ((await settlePayments(house.api)) > 0);
  while ((await ledger.deepen()) > 0)
}

const look = async ({ actor }: MadePayment) => {
  const found = await findPayment(house.sql, { id: actor, merchantId, livemode: false })
  return found && { ...found.context, state: found.state }
}

const sending = ({ address }: MadePayment, amount = 1000n, tx?: string) => ({
  to: address.toLowerCase(),
  amount,
  ...(tx && { tx }),
})

test("final money is a success only when it is as deep as its merchant asked for, the chain's own number asks for nothing", async () => {
  const [deep, usual] = [await requiring(USUAL + 3), await requiring(USUAL)]
  await ledger.block([sending(deep), sending(usual)])
  await ledger.finalize()
  await settle()
  expect(await look(deep)).toMatchObject({ state: 'processing', amountReceived: 1000n, amountFinal: 0n })
  expect((await look(usual))?.state).toBe('success')
  for (let blocks = 0; blocks < USUAL + 1; blocks++) {
    await ledger.block()
    await ledger.finalize()
    await settle()
  }
  expect((await look(deep))?.state).toBe('processing')
  await ledger.block()
  await settle()
  expect(await look(deep)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('depth without finality is no success', async () => {
  const payment = await requiring(USUAL + 1)
  await ledger.block([sending(payment)])
  for (let blocks = 0; blocks < 9; blocks++) await ledger.block()
  await settle()
  expect((await look(payment))?.state).toBe('processing')
  await ledger.finalize()
  await settle()
  expect((await look(payment))?.state).toBe('success')
})

test('of two transfers the one counts first that is deep first', async () => {
  const payment = await requiring(USUAL + 1)
  await ledger.block([sending(payment)])
  await ledger.block()
  await ledger.block([sending(payment, 500n, hashOf('excess', payment.actor))])
  await ledger.block()
  await ledger.finalize()
  await settle()
  expect(await look(payment)).toMatchObject({ state: 'success', amountFinal: 1000n, exception: null })
  await ledger.block()
  await settle()
  expect(await look(payment)).toMatchObject({ amountFinal: 1000n })
  await ledger.block()
  await settle()
  expect(await look(payment)).toMatchObject({ state: 'success', amountFinal: 1500n, exception: 'overpaid' })
})

test('money on another chain meanwhile does not hasten it', async () => {
  const payment = await requiring(USUAL + 2)
  await ledger.block([sending(payment)])
  await ledger.finalize()
  await settle()
  await elsewhere.block([sending(payment)])
  await elsewhere.finalize()
  await settle()
  expect(await look(payment)).toMatchObject({ state: 'processing', amountFinal: 0n, stray: 'wrong_chain' })
  for (let blocks = 0; blocks < USUAL + 1; blocks++) await ledger.block()
  await settle()
  expect(await look(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('nobody looks at payments that wait for depth until their block has come, and nothing stays behind', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, () => requiring(USUAL + 4)))
  await ledger.block(many.map(payment => sending(payment)))
  await ledger.finalize()
  await settle()
  const waiting = () => house.sql`select from deeper_payments`
  const toTell = () => house.sql`select from unsettled_payments`
  for (let blocks = 0; blocks < USUAL + 2; blocks++) {
    await ledger.block()
    await ledger.deepen()
    expect([(await waiting()).length, (await toTell()).length]).toEqual([20, 0])
  }
  await ledger.block()
  await ledger.deepen()
  expect([(await waiting()).length, (await toTell()).length]).toEqual([0, 20])
  await settle()
  for (const payment of many) expect((await look(payment))?.state).toBe('success')
  expect([(await waiting()).length, (await toTell()).length]).toEqual([0, 0])
})

test('one that was told a moment after its block had come is told then', async () => {
  const payment = await requiring(USUAL + 1)
  await ledger.block([sending(payment)])
  await ledger.finalize()
  const { findUnsettled, forgetTold } = await import('../../../src/chain/watch/unsettled.ts')
  const [slow] = await findUnsettled(house.sql, 1)
  if (!slow) throw new Error('there is nothing to tell')
  for (let blocks = 0; blocks < USUAL + 1; blocks++) await ledger.block()
  await forgetTold(house.sql, [[slow, slow.payment]])
  expect((await look(payment))?.state).toBe('pending')
  await settle()
  expect((await look(payment))?.state).toBe('success')
})
