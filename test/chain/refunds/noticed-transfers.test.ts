import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { refundTransfer } from '../../../src/chain/refunds/transfer.ts'
import { encodeId } from '../../../src/ids.ts'
import { insertMerchant } from '../../access/keys.ts'
import { readableLog } from '../../harness/lines.ts'
import { openNoticedFixture } from './noticed-fixture.ts'
import { customer } from './refund-fixture.ts'

const { server, fixture, treasury, stranger, check, mineAndCheck, readFromWrongNode, cancel } =
  await openNoticedFixture()

const stateOf = async (refund: Actor<Refund>) => (await fixture.summaryOf(refund)).state

/** The prepared transaction of a refund. */
const signed = ({ id, context }: Actor<Refund>, from: string, wrong: { amount?: bigint } = {}) => {
  const { tokenAddress, amount } = context
  const { to, data } = refundTransfer({ id, tokenAddress, destination: customer, amount, ...wrong })
  return fixture.send({ from, to, data })
}
/** The refund's signer reports the transaction as dropped. */
const dropped = async ({ id, context: { paymentId, amountMinor } }: Actor<Refund>, txHash: string) => {
  const failed = { type: 'transaction_failed', txHash, confirmations: 0, failureReason: 'dropped' }
  const outcome = await server.api.actors.dispatchBundle([
    { kind: 'refund', actor: id, event: failed, cause: 'chain:31337' },
    { kind: 'payment', actor: paymentId, event: { type: 'release_refund', amountMinor } },
  ])
  expect(outcome.ok).toBe(true)
}
const byHand = (from: string, amount = 1000n) => fixture.send({ ...fixture.chain.payment(customer, amount), from })

test('a transfer from the treasury that matches one refund is assigned to it before it is final', async () => {
  const refund = await fixture.createRefund()
  const hash = await byHand(treasury)
  await mineAndCheck()
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processing', txHash: hash })
  await fixture.finalizeAll()
  await check()
  expect(await fixture.summaryOf(refund)).toMatchObject({
    state: 'processed',
    refunded: 1000,
    events: ['refund.processed'],
  })
})

test('a transfer from another address is assigned only with the refund id', async () => {
  const refund = await fixture.createRefund()
  await byHand(stranger)
  await mineAndCheck()
  expect(await stateOf(refund)).toBe('requires_signature')
  const hash = await signed(refund, stranger)
  await mineAndCheck()
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processing', txHash: hash })
})

test('a transfer that only one node reports as sent by the treasury is not assigned', async () => {
  const refund = await fixture.createRefund()
  await byHand(stranger)
  await readFromWrongNode()
  const noticed = await server.sql`
    select from noticed_transfers where refund_id = ${refund.id} and from_address = ${treasury}`
  expect(noticed).toHaveLength(1)
  await check()
  expect(await stateOf(refund)).toBe('requires_signature')
})

test('a transfer that matches two refunds is assigned only if it carries an id', async () => {
  const [one, other] = [await fixture.createRefund(), await fixture.createRefund()]
  await byHand(treasury)
  await mineAndCheck()
  expect([await stateOf(one), await stateOf(other)]).toEqual(['requires_signature', 'requires_signature'])
  await signed(other, treasury)
  await mineAndCheck()
  expect([await stateOf(one), await stateOf(other)]).toEqual(['requires_signature', 'processing'])
})

test('a matching refund of another merchant is ignored', async () => {
  const merchantId = await insertMerchant(server.sql)
  const foreign = await fixture.createRefund({ of: { merchantId, livemode: false } })
  const refund = await fixture.createRefund()
  await byHand(treasury)
  await mineAndCheck()
  const found = await server.sql<{ id: string; state: string }[]>`
    select id, state from refunds where id in (${foreign.id}, ${refund.id})`
  expect(Object.fromEntries(found.map(({ id, state }) => [id, state]))).toEqual({
    [foreign.id]: 'requires_signature',
    [refund.id]: 'processing',
  })
})

test('a transfer with another amount, destination or asset is not assigned', async () => {
  const refund = await fixture.createRefund()
  await byHand(treasury, 999n)
  await signed(refund, treasury, { amount: 1001n })
  await fixture.send({ from: treasury, to: customer, value: '0x3e8' })
  await fixture.send({ ...fixture.chain.payment(`0x${'e1'.repeat(20)}`, 1000n), from: treasury })
  await mineAndCheck()
  expect(await stateOf(refund)).toBe('requires_signature')
})

test('a transaction pays one refund, although a later one matches too', async () => {
  const first = await fixture.createRefund()
  const hash = await byHand(treasury)
  await fixture.apply(first, { type: 'transaction_sent', txHash: hash })
  const second = await fixture.createRefund()
  await mineAndCheck()
  expect([await stateOf(first), await stateOf(second)]).toEqual(['processing', 'requires_signature'])
})

test.each(['canceled', 'processed'])('a final transfer that names a %s refund needs attention', async state => {
  const refund = await fixture.createRefund()
  if (state === 'canceled') await cancel(refund)
  else {
    await signed(refund, treasury)
    await fixture.finalizeAll()
    await check()
    await check()
  }
  expect(await stateOf(refund)).toBe(state)
  const hash = await signed(refund, stranger)
  await byHand(stranger)
  await mineAndCheck()
  expect((await fixture.find(refund.id)).context.attention).toBe(false)
  await fixture.finalizeAll()
  const { log, lines } = readableLog()
  for (let n = 0; n < 2; n++) await check({ log })
  const { context } = await fixture.find(refund.id)
  expect(context).toMatchObject({ attention: true, strayTxHash: hash })
  expect(lines()).toMatchObject([{ level: 40, refund: encodeId('re', refund.id), chain: 31337, txHash: hash }])
})

test.each([
  ['a token, before it is mined', false, async () => {}],
  ['a token, when it is mined and has been seen', false, mineAndCheck],
  ['native currency', true, async () => {}],
])('a transaction that counted as dropped and is mined after all needs attention: %s', async (_, native, before) => {
  const refund = await fixture.createRefund({ native })
  const hash = native ? await fixture.send({ to: customer, value: '0x3e8' }) : await signed(refund, stranger)
  await fixture.apply(refund, { type: 'transaction_sent', txHash: hash })
  await before()
  await dropped(refund, hash)
  await mineAndCheck()
  expect((await fixture.find(refund.id)).context.attention).toBe(false)
  await fixture.finalizeAll()
  await check()
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'failed', reserved: 0 })
  expect((await fixture.find(refund.id)).context).toMatchObject({ attention: true, strayTxHash: hash })
})

test('a dropped transaction that is mined after another one paid the refund needs attention', async () => {
  const refund = await fixture.createRefund({ native: true })
  const first = await fixture.send({ to: customer, value: '0x3e8' })
  await fixture.apply(refund, { type: 'transaction_sent', txHash: first })
  await dropped(refund, first)
  const { paymentId, amountMinor } = refund.context
  const retried = await server.api.actors.dispatchBundle([
    { kind: 'refund', actor: refund.id, event: { type: 'retry' } },
    { kind: 'payment', actor: paymentId, event: { type: 'reserve_refund', amountMinor } },
  ])
  expect(retried.ok).toBe(true)
  const second = await fixture.send({ to: customer, value: '0x3e8' })
  await fixture.apply(refund, { type: 'transaction_sent', txHash: second })
  await fixture.finalizeAll()
  await check()
  await check()
  expect((await fixture.find(refund.id)).context).toMatchObject({ txHash: second, attention: true, strayTxHash: first })
})

test('a refund follows the transaction that replaced its own, once its own is unknown', async () => {
  const refund = await fixture.createRefund()
  await fixture.apply(refund, { type: 'transaction_sent', txHash: `0x${'0a'.repeat(32)}` })
  const hash = await signed(refund, stranger)
  await mineAndCheck()
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processing', txHash: hash })
})

test('while the first transaction may still be mined it counts, and the replacement needs attention', async () => {
  const refund = await fixture.createRefund()
  const first = await signed(refund, treasury)
  await mineAndCheck()
  const second = await signed(refund, stranger)
  await mineAndCheck()
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processing', txHash: first })
  await fixture.finalizeAll()
  await check()
  await check()
  expect((await fixture.find(refund.id)).context).toMatchObject({ txHash: first, attention: true, strayTxHash: second })
})

test('a transfer removed by a reorg before it was checked is assigned when it is mined again', async () => {
  const refund = await fixture.createRefund()
  const hash = await byHand(treasury)
  const raw = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', hash)
  await fixture.chain.mine()
  await fixture.read()
  await fixture.chain.reorganize(1, [])
  await fixture.read()
  await check()
  expect(await stateOf(refund)).toBe('requires_signature')
  await fixture.chain.rpc('eth_sendRawTransaction', raw)
  await mineAndCheck()
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processing', txHash: hash })
})

test('a transfer sent while the server was down is found when it catches up', async () => {
  const refund = await fixture.createRefund()
  const hash = await signed(refund, stranger)
  await fixture.chain.mine(215)
  await fixture.read()
  await check()
  expect(await fixture.summaryOf(refund)).toMatchObject({ txHash: hash })
  await check()
  expect(await stateOf(refund)).toBe('processed')
})

test('a transfer that names a refund closed long ago is ignored', async () => {
  const refund = await fixture.createRefund()
  await cancel(refund)
  await server.sql`update refund_destinations set until = now() - interval '1 second'`
  // The end of another refund deletes its destination.
  for (let n = 0; n < 3; n++) await cancel(await fixture.createRefund())
  await signed(refund, stranger)
  await fixture.finalizeAll()
  await check()
  expect((await fixture.find(refund.id)).context.attention).toBe(false)
  expect(await server.sql`select from refund_destinations where until < now()`).toHaveLength(0)
})
