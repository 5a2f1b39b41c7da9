import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { refundTransfer } from '../../../src/chain/refunds/transfer.ts'
import { nameTransaction } from '../../../src/commands/refund-transactions.ts'
import { openNoticedFixture } from './noticed-fixture.ts'
import { customer } from './refund-fixture.ts'

const { server, fixture, treasury, stranger, mineAndCheck, readFromWrongNode, settle, cancel, settlePayments } =
  await openNoticedFixture()
const { sql, api } = server
const whose = { merchantId: fixture.merchantId, livemode: false }

/** The transaction of the refund's payment link: without an id. */
const byLink = ({ context }: Actor<Refund>, from = treasury) =>
  context.tokenAddress === null
    ? fixture.send({ from, to: customer, value: '0x3e8' })
    : fixture.send({ ...fixture.chain.payment(customer, 1000n), from })
const byPage = ({ id, context: { tokenAddress, amount } }: Actor<Refund>) => {
  const { to, data } = refundTransfer({ id, tokenAddress, destination: customer, amount })
  return fixture.send({ from: stranger, to, data })
}
const name = ({ id }: Actor<Refund>, txHash: string) =>
  nameTransaction(api, { id, ...whose }, { txHash, cause: 'test', isGone: async () => false })
const strayOf = async ({ id }: Actor<Refund>) => {
  const { attention, strayTxHash } = (await fixture.find(id)).context
  return attention ? strayTxHash : null
}
const none = `0x${'e1'.repeat(20)}`

const over = {
  canceled: cancel,
  processed: async (refund: Actor<Refund>) => {
    await name(refund, await byLink(refund, stranger))
    await settle()
  },
  failed: async (refund: Actor<Refund>) => {
    await name(refund, await fixture.send({ from: treasury, to: none, value: '0x1' }))
    await settle()
  },
}

test.each([
  ['canceled', false],
  ['processed', false],
  ['failed', false],
  ['canceled', true],
  ['processed', true],
  ['failed', true],
] as const)('a final payment by link of a %s refund needs attention (native currency: %s)', async (state, native) => {
  const refund = await fixture.createRefund({ native })
  // No payment in native currency is waiting.
  await settlePayments()
  await over[state](refund)
  expect((await fixture.summaryOf(refund)).state).toBe(state)
  await byLink(refund, stranger)
  const hash = await byLink(refund)
  await mineAndCheck()
  expect(await strayOf(refund)).toBe(null)
  await settle()
  expect(await strayOf(refund)).toBe(hash)
})

test('a refund canceled while its transfer is pending needs attention', async () => {
  for (const native of [false, true]) {
    const refund = await fixture.createRefund({ native })
    const hash = await byLink(refund)
    await fixture.chain.mine()
    await fixture.read()
    await cancel(refund)
    await settle()
    expect(await strayOf(refund)).toBe(hash)
  }
})

test('a refund paid by its page and by the link needs attention as soon as it is processed', async () => {
  const refund = await fixture.createRefund()
  const [first, second] = [await byPage(refund), await byLink(refund)]
  await name(refund, first)
  await mineAndCheck()
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processing', txHash: first })
  await settle()
  expect((await fixture.summaryOf(refund)).state).toBe('processed')
  expect(await strayOf(refund)).toBe(second)
})

test('a transfer that a similar open refund waits for belongs to it, not to the closed one', async () => {
  const paid = await fixture.createRefund()
  await over.processed(paid)
  const waiting = await fixture.createRefund()
  const hash = await byLink(waiting)
  await mineAndCheck()
  await settle()
  expect(await fixture.summaryOf(waiting)).toMatchObject({ state: 'processed', txHash: hash })
  expect([await strayOf(paid), await strayOf(waiting)]).toEqual([null, null])
})

test('a transfer that may belong to two open refunds is kept, and needs attention only when it is neither’s', async () => {
  const canceled = await fixture.createRefund()
  const [one, other] = [await fixture.createRefund(), await fixture.createRefund()]
  await cancel(canceled)
  const ofOne = await byLink(one)
  await mineAndCheck()
  await settle()
  expect([await strayOf(canceled), (await fixture.summaryOf(one)).state]).toEqual([null, 'requires_signature'])
  await name(one, ofOne)
  await settle()
  expect((await fixture.summaryOf(one)).state).toBe('processed')
  expect(await sql`select from noticed_transfers`).toHaveLength(0)
  const third = await fixture.createRefund()
  const unassigned = await byLink(other)
  await settle()
  expect([await strayOf(canceled), await strayOf(one)]).toEqual([null, null])
  await cancel(other)
  await cancel(third)
  await settle()
  expect([await strayOf(canceled), await strayOf(one)]).toEqual([unassigned, unassigned])
})

test('a refund requested later does not keep the transfer waiting', async () => {
  const refund = await fixture.createRefund()
  await cancel(refund)
  const hash = await byLink(refund)
  await fixture.finalizeAll()
  const later = await fixture.createRefund()
  await settle()
  expect([await strayOf(refund), (await fixture.summaryOf(later)).state]).toEqual([hash, 'requires_signature'])
})

test('a transfer that only one node reports as sent by the merchant needs no attention', async () => {
  const refund = await fixture.createRefund()
  await cancel(refund)
  await byLink(refund, stranger)
  await readFromWrongNode()
  expect(await sql`select from noticed_transfers where from_address = ${treasury}`).toHaveLength(1)
  await settle()
  expect(await strayOf(refund)).toBe(null)
})

test.each(['canceled', 'processed'] as const)(
  'a transaction named for a %s refund is refused and checked',
  async state => {
    const refund = await fixture.createRefund()
    await over[state](refund)
    await settle()
    const hash = await byLink(refund, stranger)
    const wrong = await fixture.send({ from: treasury, to: none, value: '0x1' })
    for (const each of [hash, wrong, hash])
      await expect(name(refund, each)).rejects.toMatchObject({ code: 'state_conflict' })
    await settle()
    expect(await strayOf(refund)).toBe(hash)
    for (let n = 0; n < 30; n++)
      await name(refund, `0x${n.toString(16).padStart(64, '0')}`).catch(({ code }) =>
        expect(code).toBe('state_conflict'),
      )
    expect(await sql`select from noticed_transfers`).toHaveLength(20)
    await sql`delete from noticed_transfers`
  },
)

test('a transaction refused while the first may still exist replaces it once the first is unknown', async () => {
  const refund = await fixture.createRefund()
  await name(refund, `0x${'0a'.repeat(32)}`)
  const hash = await byLink(refund, stranger)
  await expect(name(refund, hash)).rejects.toMatchObject({ code: 'state_conflict' })
  await settle()
  await settle()
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'processed', txHash: hash })
})

test('a transaction named for a closed refund that pays another one needs no attention', async () => {
  const [canceled, paid] = [await fixture.createRefund(), await fixture.createRefund()]
  await cancel(canceled)
  await name(paid, await byLink(paid, stranger))
  await settle()
  const { txHash } = await fixture.summaryOf(paid)
  await expect(name(canceled, txHash ?? '')).rejects.toMatchObject({ code: 'state_conflict' })
  await settle()
  expect([await strayOf(canceled), (await fixture.summaryOf(paid)).state]).toEqual([null, 'processed'])
})
