import { expect, test } from 'bun:test'
import { getAddress } from 'viem/utils'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { insertMerchant } from '../../access/keys.ts'
import { makePayment } from '../../http/payments.ts'
import { giveOut } from '../watch/ledger.ts'
import { type Question, through } from '../watch/node.ts'
import { noticingHouse } from './noticing-house.ts'
import { customer } from './refund-house.ts'

const { house, on, treasury, stranger, isPaidAtTreasury, look, seen, cancel, settlePayments } = await noticingHouse()
const { sql } = house

const made = async (more: Parameters<typeof on.made>[0] = {}) => {
  const refund = await on.made({ coins: true, ...more })
  await settlePayments()
  return refund
}
/** As many wei as the refund is of, unless told otherwise. */
const paid = (more: { from?: string; to?: string; value?: string; data?: string } = {}) =>
  on.send({ from: treasury, to: customer, value: '0x3e8', ...more })
const idOf = ({ id }: Actor<Refund>) => `0x${id.replaceAll('-', '')}`

const statesOf = (...refunds: Actor<Refund>[]) =>
  Promise.all(refunds.map(async refund => (await on.look(refund)).state))

const isFull = ({ method, params: [, full] }: Question) => method === 'eth_getBlockByNumber' && full === true
/** How many blocks are read in full, of some that are mined now. */
const readInFull = async () => {
  let full = 0
  await using node = await through(on.chain.url, (question, answer) => {
    if (isFull(question)) full++
    return answer
  })
  await settlePayments()
  await on.chain.mine(3)
  await on.read(on.sourceOf(node.url))
  return full
}

test('coins from the treasury that fit one refund are taken for it, before they are final', async () => {
  const refund = await made()
  const hash = await paid()
  await seen()
  expect(await on.look(refund)).toMatchObject({ state: 'processing', txHash: hash })
  await on.bury()
  await look()
  expect(await on.look(refund)).toMatchObject({ state: 'processed', refunded: 1000, events: ['refund.processed'] })
})

test('blocks are read in full while a refund in coins waits to be signed by hand, and for an hour more', async () => {
  expect(await readInFull()).toBe(0)
  await on.made()
  await made({ destination: null })
  expect(await readInFull()).toBe(0)
  const refund = await made()
  expect(await readInFull()).toBe(3)
  await paid()
  await seen()
  expect(await statesOf(refund)).toEqual(['processing'])
  expect(await readInFull()).toBe(3)
  await sql`update refund_destinations set native_until = native_until - interval '1 hour'`
  expect(await readInFull()).toBe(0)
})

test('for one that a signer means to sign no block is read in full, until it is left to be signed by hand', async () => {
  const merchantId = await insertMerchant(sql)
  const signer = { id: crypto.randomUUID(), merchant_id: merchantId, chain_id: 31337, address: stranger }
  await sql`insert into merchant_settings ${sql({ merchant_id: merchantId, livemode: false, refund_mode: 'signer' })}`
  await sql`insert into refund_signers ${sql({ ...signer, sealed_key: 'sealed', first_nonce: 0 })}`
  const refund = await made({ of: { merchantId, livemode: false } })
  expect(await readInFull()).toBe(0)
  await cancel(refund)
  expect(await readInFull()).toBe(0)
  const left = await made({ of: { merchantId, livemode: false } })
  await sql`select wait_to_sign(${left.id}, ${signer.id}, 'over_day_limit')`
  expect(await readInFull()).toBe(3)
  await cancel(left)
  expect(await readInFull()).toBe(3)
})

/** Whoever calls it with an address sends his coins there: in no block's list is that address named. */
const FORWARDER = '0x5f5f5f5f345f355af100'

test('coins from elsewhere, of another amount, to somebody else, by a contract, or that failed are taken for nothing', async () => {
  const refund = await made()
  await paid({ from: stranger })
  await paid({ value: '0x3e7' })
  await paid({ to: `0x${'e1'.repeat(20)}` })
  const contract = `0x${'c0'.repeat(20)}`
  await on.chain.rpc('anvil_setCode', contract, FORWARDER)
  await paid({ to: contract, data: `0x${customer.slice(2).padStart(64, '0')}` })
  await on.send({ ...on.chain.payment(customer, 1000n), from: treasury })
  await seen()
  await on.chain.rpc('anvil_setCode', customer, '0x5f5ffd')
  const failed = await paid()
  await seen()
  await on.chain.rpc('anvil_setCode', customer, '0x')
  const { status } = await on.chain.rpc<{ status: string }>('eth_getTransactionReceipt', failed)
  expect([status, ...(await statesOf(refund))]).toEqual(['0x0', 'requires_signature'])
})

test('a transaction from before the refund was asked for is another one’s', async () => {
  const refund = await made()
  await paid()
  await on.chain.mine()
  await sql`update refund_beginnings set head_number = head_number + 1 where refund_id = ${refund.id}`
  await on.read()
  expect(await sql`select from noticed_transfers where refund_id = ${refund.id}`).toHaveLength(1)
  await look()
  expect(await statesOf(refund)).toEqual(['requires_signature'])
})

test('of two refunds that fit nobody is guessed, and the one whose id is sent along is taken', async () => {
  const [one, other] = [await made(), await made()]
  await paid()
  await seen()
  expect(await statesOf(one, other)).toEqual(['requires_signature', 'requires_signature'])
  const hash = await paid({ from: stranger, data: idOf(other) })
  await seen()
  expect(await statesOf(one, other)).toEqual(['requires_signature', 'processing'])
  expect(await on.look(other)).toMatchObject({ txHash: hash })
  await on.bury()
  await look()
  expect(await statesOf(one, other)).toEqual(['requires_signature', 'processed'])
})

test('nor of two merchants who are paid at the same address', async () => {
  const merchantId = await insertMerchant(sql)
  await isPaidAtTreasury(merchantId)
  const [one, other] = [await made(), await made({ of: { merchantId, livemode: false } })]
  await paid()
  await seen()
  expect(await statesOf(one, other)).toEqual(['requires_signature', 'requires_signature'])
  await cancel(other)
  const hash = await paid()
  await seen()
  expect(await on.look(one)).toMatchObject({ state: 'processing', txHash: hash })
})

test('coins that name one by its id which is canceled meanwhile need attention, once they are final', async () => {
  const refund = await made()
  const hash = await paid({ data: idOf(refund) })
  await on.chain.mine()
  await on.read()
  await cancel(refund)
  await on.bury()
  await look()
  expect((await on.find(refund.id)).context).toMatchObject({ attention: true, strayTxHash: hash })
})

test('one that a reorganisation takes away is taken when it comes back in another block', async () => {
  const refund = await made()
  const hash = await paid()
  const raw = await on.chain.rpc<string>('eth_getRawTransactionByHash', hash)
  await on.chain.mine()
  await on.read()
  await on.chain.reorganize(1, [])
  await on.read()
  await look()
  expect(await statesOf(refund)).toEqual(['requires_signature'])
  await on.chain.rpc('eth_sendRawTransaction', raw)
  await seen()
  expect(await on.look(refund)).toMatchObject({ state: 'processing', txHash: hash })
})

test('one is found in a block that takes the place of another while that is being read', async () => {
  await on.bury()
  await settlePayments()
  await on.chain.mine()
  const late: Actor<Refund>[] = []
  const source = on.sourceOf()
  const headers: typeof source.headers = async numbers => {
    if (late.length === 0) {
      late.push(await made())
      await on.chain.reorganize(1, [[{ from: treasury, to: customer, value: '0x3e8' }, 0]])
    }
    return source.headers(numbers)
  }
  await on.read({ ...source, headers })
  await look()
  expect(await statesOf(...late)).toEqual(['processing'])
})

test('one that was sent while the house was away is found, however many blocks are to be caught up with', async () => {
  const refund = await made()
  await on.chain.mine(100)
  const hash = await paid()
  await on.chain.mine(300)
  await on.read()
  await look()
  expect(await on.look(refund)).toMatchObject({ txHash: hash })
  await look()
  expect(await statesOf(refund)).toEqual(['processed'])
})

test('one that a signer has signed for another refund is not taken, whatever became of that one', async () => {
  const [one, other] = [await made(), await made()]
  const hash = await paid()
  const signer = { id: crypto.randomUUID(), merchant_id: on.merchantId, chain_id: 31337, address: treasury }
  await sql`insert into refund_signers ${sql({ ...signer, epoch: 'one', first_nonce: 0 })}`
  const of = { signer_id: signer.id, nonce: 0 }
  await sql`insert into signer_nonces ${sql({ ...of, refund_id: other.id, state: 'mined', created_at: new Date() })}`
  await sql`insert into signed_transactions ${sql({
    ...{ ...of, attempt: 1, chain_id: 31337, tx_hash: hash, raw: '0x00', gas: 21_000, max_fee: 1 },
    created_at: new Date(),
  })}`
  await cancel(other)
  await seen()
  expect(await statesOf(one)).toEqual(['requires_signature'])
  await sql`delete from signed_transactions`
  await sql`delete from signer_nonces`
})

test('coins that go to an address of the house’s own pay a payment and the refund', async () => {
  const payment = await makePayment(house.api, { merchantId: on.merchantId, livemode: false }, '')
  const refund = await made({ destination: getAddress(payment.address) })
  await giveOut(sql, payment)
  const hash = await paid({ to: payment.address })
  await seen()
  expect(await on.look(refund)).toMatchObject({ state: 'processing', txHash: hash })
  const transfers = await sql`select tx_hash, amount from transfers where payment_id = ${payment.actor}`
  expect([...transfers]).toMatchObject([{ tx_hash: hash, amount: '1000' }])
})

test('two who read and look at once take it once', async () => {
  const refund = await made()
  const hash = await paid()
  await on.chain.mine()
  // One of them may find that the other was quicker.
  await Promise.allSettled([on.read(), on.read()])
  await Promise.all([look(), look(), look()])
  expect(await on.look(refund)).toMatchObject({ state: 'processing', txHash: hash })
  const sent = await sql`select from transitions where actor = ${refund.id} and event = 'transaction_sent'`
  expect(sent).toHaveLength(1)
})

type Told = { hash: string; transactions: { hash: string; from: string; to: string; value: string }[] }

test.each([
  ['of', `0x${'e1'.repeat(20)}`],
  ['to come from the treasury', customer],
])('coins that one of two nodes alone tells %s are not taken', async (_, to) => {
  const refund = await made()
  const hash = await paid({ from: stranger, to })
  await on.chain.mine()
  const forged = <Each extends object>(each: Each) => ({ ...each, from: treasury, to: customer.toLowerCase() })
  await using lying = await through(on.chain.url, ({ method, params }, answer) => {
    if (method === 'eth_getTransactionByHash' && params[0] === hash) return forged(answer as object)
    if (!isFull({ method, params })) return answer
    const block = answer as Told
    return { ...block, transactions: block.transactions.map(each => (each.hash === hash ? forged(each) : each)) }
  })
  await on.read(on.sourceOf(lying.url))
  const noticed = await sql`select tx_hash from noticed_transfers where refund_id = ${refund.id}`
  expect([...noticed]).toMatchObject([{ tx_hash: hash }])
  await look({ urls: [lying.url, on.chain.url] })
  await look()
  expect(await statesOf(refund)).toEqual(['requires_signature'])
})
