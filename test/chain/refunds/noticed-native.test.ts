import { expect, test } from 'bun:test'
import { getAddress } from 'viem/utils'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { insertMerchant } from '../../access/keys.ts'
import { makePayment } from '../../http/payments.ts'
import { issueAddress } from '../watch/ledger.ts'
import { changedNode, type NodeCall } from '../watch/test-node.ts'
import { openNoticedFixture } from './noticed-fixture.ts'
import { customer } from './refund-fixture.ts'

const { server, fixture, treasury, stranger, isPaidAtTreasury, check, mineAndCheck, cancel, settlePayments } =
  await openNoticedFixture()
const { sql } = server

const createNative = async (more: Parameters<typeof fixture.createRefund>[0] = {}) => {
  const refund = await fixture.createRefund({ native: true, ...more })
  await settlePayments()
  return refund
}
/** Sends the refund's amount in wei, unless given otherwise. */
const paid = (more: { from?: string; to?: string; value?: string; data?: string } = {}) =>
  fixture.send({ from: treasury, to: customer, value: '0x3e8', ...more })
const idOf = ({ id }: Actor<Refund>) => `0x${id.replaceAll('-', '')}`

const statesOf = (...refunds: Actor<Refund>[]) =>
  Promise.all(refunds.map(async refund => (await fixture.summaryOf(refund)).state))

const isFull = ({ method, params: [, full] }: NodeCall) => method === 'eth_getBlockByNumber' && full === true
/** Mines blocks and returns how many of them are read in full. */
const readInFull = async () => {
  let full = 0
  await using node = await changedNode(fixture.chain.url, (call, answer) => {
    if (isFull(call)) full++
    return answer
  })
  await settlePayments()
  await fixture.chain.mine(3)
  await fixture.read(fixture.sourceOf(node.url))
  return full
}

test('native currency from the treasury that matches one refund is assigned to it before it is final', async () => {
  const refund = await createNative()
  const hash = await paid()
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

test('full blocks are read while a refund in native currency waits to be signed by hand, and one hour more', async () => {
  expect(await readInFull()).toBe(0)
  await fixture.createRefund()
  await createNative({ destination: null })
  expect(await readInFull()).toBe(0)
  const refund = await createNative()
  expect(await readInFull()).toBe(3)
  await paid()
  await mineAndCheck()
  expect(await statesOf(refund)).toEqual(['processing'])
  expect(await readInFull()).toBe(3)
  await sql`update refund_destinations set native_until = native_until - interval '1 hour'`
  expect(await readInFull()).toBe(0)
})

test('full blocks are not read for a refund of a refund signer until it is left to be signed by hand', async () => {
  const merchantId = await insertMerchant(sql)
  const signer = { id: crypto.randomUUID(), merchant_id: merchantId, chain_id: 31337, address: stranger }
  await sql`insert into merchant_settings ${sql({ merchant_id: merchantId, livemode: false, refund_mode: 'signer' })}`
  await sql`insert into refund_signers ${sql({ ...signer, sealed_key: 'sealed', first_nonce: 0 })}`
  const refund = await createNative({ of: { merchantId, livemode: false } })
  expect(await readInFull()).toBe(0)
  await cancel(refund)
  expect(await readInFull()).toBe(0)
  const left = await createNative({ of: { merchantId, livemode: false } })
  await sql`select wait_to_sign(${left.id}, ${signer.id}, 'over_day_limit')`
  expect(await readInFull()).toBe(3)
  await cancel(left)
  expect(await readInFull()).toBe(3)
})

/**
 * A contract that forwards the value of a call to the address in its data. No transaction of the block names that
 * address.
 */
const FORWARDER = '0x5f5f5f5f345f355af100'

test('native currency from another sender, of another amount, to another address, by a contract or in a failed transaction is not assigned', async () => {
  const refund = await createNative()
  await paid({ from: stranger })
  await paid({ value: '0x3e7' })
  await paid({ to: `0x${'e1'.repeat(20)}` })
  const contract = `0x${'c0'.repeat(20)}`
  await fixture.chain.rpc('anvil_setCode', contract, FORWARDER)
  await paid({ to: contract, data: `0x${customer.slice(2).padStart(64, '0')}` })
  await fixture.send({ ...fixture.chain.payment(customer, 1000n), from: treasury })
  await mineAndCheck()
  await fixture.chain.rpc('anvil_setCode', customer, '0x5f5ffd')
  const failed = await paid()
  await mineAndCheck()
  await fixture.chain.rpc('anvil_setCode', customer, '0x')
  const { status } = await fixture.chain.rpc<{ status: string }>('eth_getTransactionReceipt', failed)
  expect([status, ...(await statesOf(refund))]).toEqual(['0x0', 'requires_signature'])
})

test('a transaction mined before the refund was requested is not assigned', async () => {
  const refund = await createNative()
  await paid()
  await fixture.chain.mine()
  await sql`update refund_beginnings set head_number = head_number + 1 where refund_id = ${refund.id}`
  await fixture.read()
  expect(await sql`select from noticed_transfers where refund_id = ${refund.id}`).toHaveLength(1)
  await check()
  expect(await statesOf(refund)).toEqual(['requires_signature'])
})

test('native currency that matches two refunds is assigned only if it carries an id', async () => {
  const [one, other] = [await createNative(), await createNative()]
  await paid()
  await mineAndCheck()
  expect(await statesOf(one, other)).toEqual(['requires_signature', 'requires_signature'])
  const hash = await paid({ from: stranger, data: idOf(other) })
  await mineAndCheck()
  expect(await statesOf(one, other)).toEqual(['requires_signature', 'processing'])
  expect(await fixture.summaryOf(other)).toMatchObject({ txHash: hash })
  await fixture.finalizeAll()
  await check()
  expect(await statesOf(one, other)).toEqual(['requires_signature', 'processed'])
})

test('native currency that matches refunds of two merchants with one treasury is not assigned', async () => {
  const merchantId = await insertMerchant(sql)
  await isPaidAtTreasury(merchantId)
  const [one, other] = [await createNative(), await createNative({ of: { merchantId, livemode: false } })]
  await paid()
  await mineAndCheck()
  expect(await statesOf(one, other)).toEqual(['requires_signature', 'requires_signature'])
  await cancel(other)
  const hash = await paid()
  await mineAndCheck()
  expect(await fixture.summaryOf(one)).toMatchObject({ state: 'processing', txHash: hash })
})

test('final native currency that names a canceled refund needs attention', async () => {
  const refund = await createNative()
  const hash = await paid({ data: idOf(refund) })
  await fixture.chain.mine()
  await fixture.read()
  await cancel(refund)
  await fixture.finalizeAll()
  await check()
  expect((await fixture.find(refund.id)).context).toMatchObject({ attention: true, strayTxHash: hash })
})

test('a transfer removed by a reorg is assigned when it is mined in another block', async () => {
  const refund = await createNative()
  const hash = await paid()
  const raw = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', hash)
  await fixture.chain.mine()
  await fixture.read()
  await fixture.chain.reorganize(1, [])
  await fixture.read()
  await check()
  expect(await statesOf(refund)).toEqual(['requires_signature'])
  await fixture.chain.rpc('eth_sendRawTransaction', raw)
  await mineAndCheck()
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processing', txHash: hash })
})

test('a transfer is found in a block that replaces another one during reading', async () => {
  await fixture.finalizeAll()
  await settlePayments()
  await fixture.chain.mine()
  const late: Actor<Refund>[] = []
  const source = fixture.sourceOf()
  const headers: typeof source.headers = async numbers => {
    if (late.length === 0) {
      late.push(await createNative())
      await fixture.chain.reorganize(1, [[{ from: treasury, to: customer, value: '0x3e8' }, 0]])
    }
    return source.headers(numbers)
  }
  await fixture.read({ ...source, headers })
  await check()
  expect(await statesOf(...late)).toEqual(['processing'])
})

test('a transfer sent while the server was down is found, however many blocks were missed', async () => {
  const refund = await createNative()
  await fixture.chain.mine(100)
  const hash = await paid()
  await fixture.chain.mine(300)
  await fixture.read()
  await check()
  expect(await fixture.summaryOf(refund)).toMatchObject({ txHash: hash })
  await check()
  expect(await statesOf(refund)).toEqual(['processed'])
})

test('a transfer that a refund signer signed for another refund is not assigned', async () => {
  const [one, other] = [await createNative(), await createNative()]
  const hash = await paid()
  const signer = { id: crypto.randomUUID(), merchant_id: fixture.merchantId, chain_id: 31337, address: treasury }
  await sql`insert into refund_signers ${sql({ ...signer, epoch: 'one', first_nonce: 0 })}`
  const of = { signer_id: signer.id, nonce: 0 }
  await sql`insert into signer_nonces ${sql({ ...of, refund_id: other.id, state: 'mined', created_at: new Date() })}`
  await sql`insert into signed_transactions ${sql({
    ...{ ...of, attempt: 1, chain_id: 31337, tx_hash: hash, raw: '0x00', gas: 21_000, max_fee: 1 },
    created_at: new Date(),
  })}`
  await cancel(other)
  await mineAndCheck()
  expect(await statesOf(one)).toEqual(['requires_signature'])
  await sql`delete from signed_transactions`
  await sql`delete from signer_nonces`
})

test('a refund to a deposit address pays both the refund and the payment', async () => {
  const payment = await makePayment(server.api, { merchantId: fixture.merchantId, livemode: false }, '')
  const refund = await createNative({ destination: getAddress(payment.address) })
  await issueAddress(sql, payment)
  const hash = await paid({ to: payment.address })
  await mineAndCheck()
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processing', txHash: hash })
  const transfers = await sql`select tx_hash, amount from transfers where payment_id = ${payment.actor}`
  expect([...transfers]).toMatchObject([{ tx_hash: hash, amount: '1000' }])
})

test('two workers that read and check in parallel assign a transfer once', async () => {
  const refund = await createNative()
  const hash = await paid()
  await fixture.chain.mine()
  // One of them may find that the other was faster.
  await Promise.allSettled([fixture.read(), fixture.read()])
  await Promise.all([check(), check(), check()])
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processing', txHash: hash })
  const sent = await sql`select from transitions where actor = ${refund.id} and event = 'transaction_sent'`
  expect(sent).toHaveLength(1)
})

type FullBlock = { hash: string; transactions: { hash: string; from: string; to: string; value: string }[] }

test.each([
  ['at all', `0x${'e1'.repeat(20)}`],
  ['as sent by the treasury', customer],
])('native currency that only one of two nodes reports %s is not assigned', async (_, to) => {
  const refund = await createNative()
  const hash = await paid({ from: stranger, to })
  await fixture.chain.mine()
  const forged = <Each extends object>(each: Each) => ({ ...each, from: treasury, to: customer.toLowerCase() })
  await using wrongNode = await changedNode(fixture.chain.url, ({ method, params }, answer) => {
    if (method === 'eth_getTransactionByHash' && params[0] === hash) return forged(answer as object)
    if (!isFull({ method, params })) return answer
    const block = answer as FullBlock
    return { ...block, transactions: block.transactions.map(each => (each.hash === hash ? forged(each) : each)) }
  })
  await fixture.read(fixture.sourceOf(wrongNode.url))
  const noticed = await sql`select tx_hash from noticed_transfers where refund_id = ${refund.id}`
  expect([...noticed]).toMatchObject([{ tx_hash: hash }])
  await check({ urls: [wrongNode.url, fixture.chain.url] })
  await check()
  expect(await statesOf(refund)).toEqual(['requires_signature'])
})
