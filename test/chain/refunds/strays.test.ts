import { expect, test } from 'bun:test'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { refundTransfer } from '../../../src/chain/refunds/transfer.ts'
import { nameTransaction } from '../../../src/commands/refund-transactions.ts'
import { noticingHouse } from './noticing-house.ts'
import { customer } from './refund-house.ts'

const { house, on, treasury, stranger, seen, seenByLiar, settle, cancel, settlePayments } = await noticingHouse()
const { sql, api } = house
const whose = { merchantId: on.merchantId, livemode: false }

/** As the house's own link has it: without an id. */
const byLink = ({ context }: Actor<Refund>, from = treasury) =>
  context.tokenAddress === null
    ? on.send({ from, to: customer, value: '0x3e8' })
    : on.send({ ...on.chain.payment(customer, 1000n), from })
const byPage = ({ id, context: { tokenAddress, amount } }: Actor<Refund>) => {
  const { to, data } = refundTransfer({ id, tokenAddress, destination: customer, amount })
  return on.send({ from: stranger, to, data })
}
const name = ({ id }: Actor<Refund>, txHash: string) =>
  nameTransaction(api, { id, ...whose }, { txHash, cause: 'test', isGone: async () => false })
const strayOf = async ({ id }: Actor<Refund>) => {
  const { attention, strayTxHash } = (await on.find(id)).context
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
    await name(refund, await on.send({ from: treasury, to: none, value: '0x1' }))
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
] as const)(
  'what the merchant pays for one that is %s, by the link, needs attention once it is final (coins: %s)',
  async (state, coins) => {
    const refund = await on.made({ coins })
    // Payments in coins are waited for by nobody.
    await settlePayments()
    await over[state](refund)
    expect((await on.look(refund)).state).toBe(state)
    await byLink(refund, stranger)
    const hash = await byLink(refund)
    await seen()
    expect(await strayOf(refund)).toBe(null)
    await settle()
    expect(await strayOf(refund)).toBe(hash)
  },
)

test('one that is canceled while its transfer is on the way needs attention too', async () => {
  for (const coins of [false, true]) {
    const refund = await on.made({ coins })
    const hash = await byLink(refund)
    await on.chain.mine()
    await on.read()
    await cancel(refund)
    await settle()
    expect(await strayOf(refund)).toBe(hash)
  }
})

test('one that is paid once by its page and once by the link needs attention as soon as it is processed', async () => {
  const refund = await on.made()
  const [first, second] = [await byPage(refund), await byLink(refund)]
  await name(refund, first)
  await seen()
  expect(await on.look(refund)).toMatchObject({ state: 'processing', txHash: first })
  await settle()
  expect((await on.look(refund)).state).toBe('processed')
  expect(await strayOf(refund)).toBe(second)
})

test('what another refund like it waits for is that one’s, and no stray of the one that is over', async () => {
  const paid = await on.made()
  await over.processed(paid)
  const waiting = await on.made()
  const hash = await byLink(waiting)
  await seen()
  await settle()
  expect(await on.look(waiting)).toMatchObject({ state: 'processed', txHash: hash })
  expect([await strayOf(paid), await strayOf(waiting)]).toEqual([null, null])
})

test('while two wait that it may be for it is kept, and is a stray only when it is neither’s', async () => {
  const canceled = await on.made()
  const [one, other] = [await on.made(), await on.made()]
  await cancel(canceled)
  const ofOne = await byLink(one)
  await seen()
  await settle()
  expect([await strayOf(canceled), (await on.look(one)).state]).toEqual([null, 'requires_signature'])
  await name(one, ofOne)
  await settle()
  expect((await on.look(one)).state).toBe('processed')
  expect(await sql`select from noticed_transfers`).toHaveLength(0)
  const third = await on.made()
  const ofNobody = await byLink(other)
  await settle()
  expect([await strayOf(canceled), await strayOf(one)]).toEqual([null, null])
  await cancel(other)
  await cancel(third)
  await settle()
  expect([await strayOf(canceled), await strayOf(one)]).toEqual([ofNobody, ofNobody])
})

test('one that was asked for later does not keep it', async () => {
  const refund = await on.made()
  await cancel(refund)
  const hash = await byLink(refund)
  await on.bury()
  const later = await on.made()
  await settle()
  expect([await strayOf(refund), (await on.look(later)).state]).toEqual([hash, 'requires_signature'])
})

test('what a single node tells to come from the merchant is no stray', async () => {
  const refund = await on.made()
  await cancel(refund)
  await byLink(refund, stranger)
  await seenByLiar()
  expect(await sql`select from noticed_transfers where from_address = ${treasury}`).toHaveLength(1)
  await settle()
  expect(await strayOf(refund)).toBe(null)
})

test.each(['canceled', 'processed'] as const)(
  'a transaction that is named for one which is %s is refused, and looked at',
  async state => {
    const refund = await on.made()
    await over[state](refund)
    await settle()
    const hash = await byLink(refund, stranger)
    const wrong = await on.send({ from: treasury, to: none, value: '0x1' })
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

test('one that is refused while nobody can say whether the first is gone takes its place once they can', async () => {
  const refund = await on.made()
  await name(refund, `0x${'0a'.repeat(32)}`)
  const hash = await byLink(refund, stranger)
  await expect(name(refund, hash)).rejects.toMatchObject({ code: 'state_conflict' })
  await settle()
  await settle()
  expect(await on.look(refund)).toMatchObject({ state: 'processed', txHash: hash })
})

test('what is named for one that is over, and pays another, is no stray', async () => {
  const [canceled, paid] = [await on.made(), await on.made()]
  await cancel(canceled)
  await name(paid, await byLink(paid, stranger))
  await settle()
  const { txHash } = await on.look(paid)
  await expect(name(canceled, txHash ?? '')).rejects.toMatchObject({ code: 'state_conflict' })
  await settle()
  expect([await strayOf(canceled), (await on.look(paid)).state]).toEqual([null, 'processed'])
})
