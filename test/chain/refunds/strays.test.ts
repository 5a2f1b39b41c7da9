import { afterEach, expect, test } from 'bun:test'
import { getAddress } from 'viem/utils'
import type { Refund } from '../../../machines/refund.ts'
import type { Actor } from '../../../src/actors/kind.ts'
import { refundTransfer } from '../../../src/chain/refunds/transfer.ts'
import { nameTransaction } from '../../../src/commands/refund-transactions.ts'
import { cancelRefund } from '../../../src/commands/refunds.ts'
import { through } from '../watch/node.ts'
import { customer, decide, houseOfFile } from './refund-house.ts'

const { house, on } = await houseOfFile()
const { sql, api } = house
const [, treasury = '', stranger = ''] = await on.chain.rpc<string[]>('eth_accounts')
const whose = { merchantId: on.merchantId, livemode: false }
await sql`insert into merchant_settings (merchant_id, livemode) values (${on.merchantId}, false)`
await sql`
  insert into receiving_addresses (merchant_id, livemode, address)
  values (${on.merchantId}, false, ${getAddress(treasury)})`

// Nothing that a test leaves fits what the next one sends.
afterEach(async () => {
  await settle()
  for (const { id } of await sql<{ id: string }[]>`select id from refunds where state = 'requires_signature'`)
    await cancel(await on.find(id))
  await settle()
  expect(await sql`select from noticed_transfers`).toHaveLength(0)
  await sql`delete from refund_destinations where until is not null`
})

const look = async () => {
  await sql`update noticed_transfers set next_look_at = now()`
  await decide(house, on.chainOf())
}
/** Once to be processed, and once more with that known. */
const settle = async () => {
  await on.bury()
  await look()
  await look()
}
const seen = async () => {
  await on.chain.mine()
  await on.read()
  await look()
}
const cancel = ({ id }: Actor<Refund>) => cancelRefund(api, { id, ...whose }, 'test')
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
    await sql`update payments set updated_at = now() - interval '2 hours'`
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
  await on.chain.mine()
  const topicOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
  await using lying = await through(on.chain.url, ({ method }, answer) => {
    if (method !== 'eth_getLogs') return answer
    return JSON.parse(JSON.stringify(answer).replaceAll(topicOf(stranger), topicOf(treasury)))
  })
  await on.read(on.sourceOf(lying.url))
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
