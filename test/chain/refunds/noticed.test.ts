import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { refundTransfer } from '../../../src/chain/refunds/transfer.ts'
import { encodeId } from '../../../src/ids.ts'
import { insertMerchant } from '../../access/keys.ts'
import { readableLog } from '../../harness/lines.ts'
import { noticingHouse } from './noticing-house.ts'
import { customer } from './refund-house.ts'

const { house, on, treasury, stranger, look, seen, seenByLiar, cancel } = await noticingHouse()

const stateOf = async (refund: Actor<Refund>) => (await on.look(refund)).state

/** As it is to be signed. */
const signed = ({ id, context }: Actor<Refund>, from: string, wrong: { amount?: bigint } = {}) => {
  const { tokenAddress, amount } = context
  const { to, data } = refundTransfer({ id, tokenAddress, destination: customer, amount, ...wrong })
  return on.send({ from, to, data })
}
/** Told by its signer. */
const dropped = async ({ id, context: { paymentId, amountMinor } }: Actor<Refund>, txHash: string) => {
  const failed = { type: 'transaction_failed', txHash, confirmations: 0, failureReason: 'dropped' }
  const outcome = await house.api.actors.dispatchBundle([
    { kind: 'refund', actor: id, event: failed, cause: 'chain:31337' },
    { kind: 'payment', actor: paymentId, event: { type: 'release_refund', amountMinor } },
  ])
  expect(outcome.ok).toBe(true)
}
const byHand = (from: string, amount = 1000n) => on.send({ ...on.chain.payment(customer, amount), from })

test('a transfer from the treasury that fits one refund is taken for it, before it is final', async () => {
  const refund = await on.made()
  const hash = await byHand(treasury)
  await seen()
  expect(await on.look(refund)).toMatchObject({ state: 'processing', txHash: hash })
  await on.bury()
  await look()
  expect(await on.look(refund)).toMatchObject({ state: 'processed', refunded: 1000, events: ['refund.processed'] })
})

test('one from anywhere else is not, unless it carries the id of the refund', async () => {
  const refund = await on.made()
  await byHand(stranger)
  await seen()
  expect(await stateOf(refund)).toBe('requires_signature')
  const hash = await signed(refund, stranger)
  await seen()
  expect(await on.look(refund)).toMatchObject({ state: 'processing', txHash: hash })
})

test('nor is one that a single node tells to come from the treasury', async () => {
  const refund = await on.made()
  await byHand(stranger)
  await seenByLiar()
  const noticed = await house.sql`
    select from noticed_transfers where refund_id = ${refund.id} and from_address = ${treasury}`
  expect(noticed).toHaveLength(1)
  await look()
  expect(await stateOf(refund)).toBe('requires_signature')
})

test('of two refunds that fit nobody is guessed, and the one that is named is taken', async () => {
  const [one, other] = [await on.made(), await on.made()]
  await byHand(treasury)
  await seen()
  expect([await stateOf(one), await stateOf(other)]).toEqual(['requires_signature', 'requires_signature'])
  await signed(other, treasury)
  await seen()
  expect([await stateOf(one), await stateOf(other)]).toEqual(['requires_signature', 'processing'])
})

test('a refund of another merchant is not paid by it, and makes it fit no less', async () => {
  const merchantId = await insertMerchant(house.sql)
  const foreign = await on.made({ of: { merchantId, livemode: false } })
  const refund = await on.made()
  await byHand(treasury)
  await seen()
  const found = await house.sql<{ id: string; state: string }[]>`
    select id, state from refunds where id in (${foreign.id}, ${refund.id})`
  expect(Object.fromEntries(found.map(({ id, state }) => [id, state]))).toEqual({
    [foreign.id]: 'requires_signature',
    [refund.id]: 'processing',
  })
})

test('another amount, another destination and coins are taken for nothing', async () => {
  const refund = await on.made()
  await byHand(treasury, 999n)
  await signed(refund, treasury, { amount: 1001n })
  await on.send({ from: treasury, to: customer, value: '0x3e8' })
  await on.send({ ...on.chain.payment(`0x${'e1'.repeat(20)}`, 1000n), from: treasury })
  await seen()
  expect(await stateOf(refund)).toBe('requires_signature')
})

test('a transaction pays one refund, also where a later one would fit', async () => {
  const first = await on.made()
  const hash = await byHand(treasury)
  await on.happen(first, { type: 'transaction_sent', txHash: hash })
  const second = await on.made()
  await seen()
  expect([await stateOf(first), await stateOf(second)]).toEqual(['processing', 'requires_signature'])
})

test.each(['canceled', 'processed'])('what names one that is %s needs attention, once it is final', async state => {
  const refund = await on.made()
  if (state === 'canceled') await cancel(refund)
  else {
    await signed(refund, treasury)
    await on.bury()
    await look()
    await look()
  }
  expect(await stateOf(refund)).toBe(state)
  const hash = await signed(refund, stranger)
  await byHand(stranger)
  await seen()
  expect((await on.find(refund.id)).context.attention).toBe(false)
  await on.bury()
  const { log, lines } = readableLog()
  for (let n = 0; n < 2; n++) await look({ log })
  const { context } = await on.find(refund.id)
  expect(context).toMatchObject({ attention: true, strayTxHash: hash })
  expect(lines()).toMatchObject([{ level: 40, refund: encodeId('re', refund.id), chain: 31337, txHash: hash }])
})

test.each([
  ['a token, before it is mined', false, async () => {}],
  ['a token, when it is mined and has been seen', false, seen],
  ['coins', true, async () => {}],
])('what was given up as dropped and is mined after all needs attention: %s', async (_, coins, before) => {
  const refund = await on.made({ coins })
  const hash = coins ? await on.send({ to: customer, value: '0x3e8' }) : await signed(refund, stranger)
  await on.happen(refund, { type: 'transaction_sent', txHash: hash })
  await before()
  await dropped(refund, hash)
  await seen()
  expect((await on.find(refund.id)).context.attention).toBe(false)
  await on.bury()
  await look()
  expect(await on.look(refund)).toMatchObject({ state: 'failed', reserved: 0 })
  expect((await on.find(refund.id)).context).toMatchObject({ attention: true, strayTxHash: hash })
})

test('one that was given up is a stray too where another has paid since', async () => {
  const refund = await on.made({ coins: true })
  const first = await on.send({ to: customer, value: '0x3e8' })
  await on.happen(refund, { type: 'transaction_sent', txHash: first })
  await dropped(refund, first)
  const { paymentId, amountMinor } = refund.context
  const retried = await house.api.actors.dispatchBundle([
    { kind: 'refund', actor: refund.id, event: { type: 'retry' } },
    { kind: 'payment', actor: paymentId, event: { type: 'reserve_refund', amountMinor } },
  ])
  expect(retried.ok).toBe(true)
  const second = await on.send({ to: customer, value: '0x3e8' })
  await on.happen(refund, { type: 'transaction_sent', txHash: second })
  await on.bury()
  await look()
  await look()
  expect((await on.find(refund.id)).context).toMatchObject({ txHash: second, attention: true, strayTxHash: first })
})

test('a transaction that its wallet has replaced by another is followed, once the first is nowhere', async () => {
  const refund = await on.made()
  await on.happen(refund, { type: 'transaction_sent', txHash: `0x${'0a'.repeat(32)}` })
  const hash = await signed(refund, stranger)
  await seen()
  expect(await on.look(refund)).toMatchObject({ state: 'processing', txHash: hash })
})

test('while the first may still be mined it is waited for, and the other one is a stray', async () => {
  const refund = await on.made()
  const first = await signed(refund, treasury)
  await seen()
  const second = await signed(refund, stranger)
  await seen()
  expect(await on.look(refund)).toMatchObject({ state: 'processing', txHash: first })
  await on.bury()
  await look()
  await look()
  expect((await on.find(refund.id)).context).toMatchObject({ txHash: first, attention: true, strayTxHash: second })
})

test('one that a reorganisation takes away before it was looked at is taken when it comes back', async () => {
  const refund = await on.made()
  const hash = await byHand(treasury)
  const raw = await on.chain.rpc<string>('eth_getRawTransactionByHash', hash)
  await on.chain.mine()
  await on.read()
  await on.chain.reorganize(1, [])
  await on.read()
  await look()
  expect(await stateOf(refund)).toBe('requires_signature')
  await on.chain.rpc('eth_sendRawTransaction', raw)
  await seen()
  expect(await on.look(refund)).toMatchObject({ state: 'processing', txHash: hash })
})

test('one that was sent while the house was away is found among the blocks that are caught up with', async () => {
  const refund = await on.made()
  const hash = await signed(refund, stranger)
  await on.chain.mine(215)
  await on.read()
  await look()
  expect(await on.look(refund)).toMatchObject({ txHash: hash })
  await look()
  expect(await stateOf(refund)).toBe('processed')
})

test('what names a refund that was over long ago is not noticed', async () => {
  const refund = await on.made()
  await cancel(refund)
  await house.sql`update refund_destinations set until = now() - interval '1 second'`
  // Whichever ends next forgets it.
  for (let n = 0; n < 3; n++) await cancel(await on.made())
  await signed(refund, stranger)
  await on.bury()
  await look()
  expect((await on.find(refund.id)).context.attention).toBe(false)
  expect(await house.sql`select from refund_destinations where until < now()`).toHaveLength(0)
})
