import { expect, test } from 'bun:test'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor } from '../../../src/chain/watch/books.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { findShownPayment } from '../../../src/queries/payments.ts'
import { forFile } from '../../harness/for-file.ts'
import { CONFIRMATIONS, chainHouse } from './chain-house.ts'
import { type Change, no, type Question } from './node.ts'

const house = await forFile(chainHouse())

test('a transfer is seen in its block, and final when enough stand on it', async () => {
  const payment = await house.opened()
  const txHash = await house.chain.pay(payment.address, 1000n)
  await house.chain.mine()
  await house.read()
  expect(await house.stateOf(payment)).toMatchObject({ state: 'processing', txHash, blockNumber: await house.head() })
  await house.chain.mine(CONFIRMATIONS - 2)
  await house.read()
  expect((await house.stateOf(payment))?.state).toBe('processing')
  await house.chain.mine()
  await house.read()
  expect(await house.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('after an outage everything is found, each in its block', async () => {
  const many = await Promise.all(Array.from({ length: 30 }, house.opened))
  for (const payment of many) {
    await house.chain.pay(payment.address, 1000n)
    await house.chain.mine(15)
  }
  await house.read()
  const states = await Promise.all(many.map(async payment => (await house.stateOf(payment))?.state))
  expect(states.filter(state => state === 'success')).toHaveLength(30 - 1 + (states.at(-1) === 'success' ? 1 : 0))
  const blocks = await house.sql`
    select from transfers where state <> 'orphaned' and payment_id in ${house.sql(many.map(({ actor }) => actor))}`
  expect(blocks).toHaveLength(30)
  expect((await findCursor(house.sql, house.watched.id))?.number).toBe(await house.head())
})

for (let depth = 1; depth < CONFIRMATIONS; depth++)
  test(`a reorganisation of depth ${depth} that loses a transfer, moves it or brings it back is followed`, async () => {
    const [lost, moved] = [await house.opened(), await house.opened()]
    await house.chain.pay(lost.address, 1000n)
    await house.chain.pay(moved.address, 1000n)
    await house.chain.mine(depth)
    await house.read()
    const first = await house.stateOf(moved)
    expect([(await house.stateOf(lost))?.state, first?.state]).toEqual(['processing', 'processing'])

    await house.chain.reorganize(depth, [[house.chain.payment(moved.address, 1000n), depth - 1]])
    await house.read()
    expect(await house.stateOf(lost)).toMatchObject({ state: 'pending', amountReceived: 0n, txHash: null })
    expect(await house.stateOf(moved)).toMatchObject({ state: 'processing', blockNumber: await house.head() })

    const again = await house.chain.pay(lost.address, 1000n)
    await house.chain.mine(CONFIRMATIONS)
    await house.read()
    expect(await house.stateOf(lost)).toMatchObject({ state: 'success', txHash: again, amountReceived: 1000n })
    expect(await house.stateOf(moved)).toMatchObject({ state: 'success', amountReceived: 1000n })
  })

/** With this in place of a transfer of 1,000 to the payment, from the same sender and with the same number. */
type Replaced = readonly [string, (to: string) => Readonly<Record<string, unknown>>, seen: object, final: object]
const nothing = { state: 'pending', amountReceived: 0n, txHash: null, exception: null }

test.each<Replaced>([
  [
    'goes to somebody else',
    () => house.chain.payment(`0x${'e1'.repeat(20)}`, 1000n),
    nothing,
    { ...nothing, amountFinal: 0n },
  ],
  [
    'is of less',
    to => house.chain.payment(to, 400n),
    { state: 'pending', exception: 'underpaid', amountReceived: 400n },
    { state: 'pending', exception: 'underpaid', amountFinal: 400n },
  ],
  [
    'is of more',
    to => house.chain.payment(to, 1500n),
    { state: 'processing', amountReceived: 1500n },
    { state: 'success', exception: 'overpaid', amountFinal: 1500n },
  ],
  [
    'is of another token',
    to => house.chain.payment(to, 1000n, house.chain.otherToken),
    { ...nothing, exception: 'wrong_asset', attention: true },
    { ...nothing, exception: 'wrong_asset', amountFinal: 0n, finalStrays: 1 },
  ],
])(
  'a transfer in whose place another branch has one that %s is not what the payment got',
  async (_, other, seen, final) => {
    const payment = await house.opened()
    const txHash = await house.chain.pay(payment.address, 1000n)
    await house.chain.mine(2)
    await house.read()
    expect(await house.stateOf(payment)).toMatchObject({ state: 'processing', txHash, amountReceived: 1000n })
    const { from, nonce } = await house.chain.rpc<Sent>('eth_getTransactionByHash', txHash)

    await house.chain.reorganize(2, [[other(payment.address), 0]])
    const [there] = (await blockAt((await house.head()) - 1)).transactions
    expect(there).toMatchObject({ from, nonce })
    expect(there?.hash).not.toBe(txHash)
    await house.read()
    expect(await house.stateOf(payment)).toMatchObject(seen)
    await house.chain.mine(CONFIRMATIONS)
    await house.read()
    expect(await house.stateOf(payment)).toMatchObject(final)
  },
)

test('a transfer that another branch has given to another payment pays that one alone', async () => {
  const [first, second] = [await house.opened(), await house.opened()]
  await house.chain.pay(first.address, 1000n)
  await house.chain.mine()
  await house.read()
  expect((await house.stateOf(first))?.state).toBe('processing')
  await house.chain.reorganize(1, [[house.chain.payment(second.address, 1000n), 0]])
  await house.read()
  expect(await house.stateOf(first)).toMatchObject(nothing)
  expect(await house.stateOf(second)).toMatchObject({ state: 'processing', amountReceived: 1000n })
  await house.chain.mine(CONFIRMATIONS)
  await house.read()
  expect(await house.stateOf(first)).toMatchObject({ ...nothing, amountFinal: 0n })
  expect(await house.stateOf(second)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('a transfer of tokens that comes back failed, under the same hash, pays nothing', async () => {
  const payment = await house.opened()
  const txHash = await house.chain.pay(payment.address, 1000n)
  await house.chain.mine(2)
  await house.read()
  expect(await house.stateOf(payment)).toMatchObject({ state: 'processing', txHash })
  const raw = await house.chain.rpc<string>('eth_getRawTransactionByHash', txHash)

  await house.chain.rollback(2)
  const code = await house.chain.rpc<string>('eth_getCode', house.chain.token, 'latest')
  // On this branch its owner has stopped the token.
  await house.chain.rpc('anvil_setCode', house.chain.token, '0x5f5ffd')
  await house.chain.rpc('eth_sendRawTransaction', raw)
  await house.chain.mine(3)
  expect(await house.chain.rpc('eth_getTransactionReceipt', txHash)).toMatchObject({ status: '0x0' })
  await house.chain.rpc('anvil_setCode', house.chain.token, code)
  await house.read()
  expect(await house.stateOf(payment)).toMatchObject(nothing)
  await house.chain.mine(CONFIRMATIONS)
  await house.read()
  expect(await house.stateOf(payment)).toMatchObject({ ...nothing, amountFinal: 0n })

  const again = await house.chain.pay(payment.address, 1000n)
  await house.chain.mine(CONFIRMATIONS)
  await house.read()
  expect(await house.stateOf(payment)).toMatchObject({ state: 'success', txHash: again, amountFinal: 1000n })
})

test('a chain that has become shorter is waited for, and its other branch followed', async () => {
  const payment = await house.opened()
  await house.chain.pay(payment.address, 1000n)
  await house.chain.mine(3)
  await house.read()
  await house.chain.rollback(3)
  await house.read()
  // Nothing says yet that its block is gone for good.
  expect((await house.stateOf(payment))?.state).toBe('processing')
  await house.chain.mine(4)
  await house.read()
  expect(await house.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})

test('money in another token that is watched is seen as such', async () => {
  const payment = await house.opened()
  await house.chain.pay(payment.address, 1000n, house.chain.otherToken)
  await house.chain.mine()
  await house.read()
  expect(await house.stateOf(payment)).toMatchObject({ state: 'pending', exception: 'wrong_asset', attention: true })
})

test('of thousands of transfers the hundred largest are shown, in their order, and all are counted', async () => {
  const payment = await house.opened()
  for (let n = 1; n <= 110; n++) await house.chain.pay(payment.address, n === 55 ? 1000n : BigInt(n))
  await house.chain.mine()
  await house.read()
  const found = await findShownPayment(house.sql, { id: payment.actor, merchantId: house.merchantId, livemode: false })
  const sums = found?.shown?.transfers.map(({ amount }) => Number(amount)) ?? []
  expect(sums).toHaveLength(100)
  expect(sums.slice(0, 3)).toEqual([11, 12, 13])
  expect(sums[44]).toBe(1000)
  expect(found?.payment.context.amountReceived).toBe(BigInt((110 * 111) / 2 - 55 + 1000))
})

test('of a chain without tokens no transfers are read, whatever is sent there', async () => {
  const payment = await house.opened()
  await house.chain.pay(payment.address, 1000n)
  await house.chain.mine()
  await house.read(openSource(openRpc({ chainId: house.watched.id, urls: [house.chain.url] }, house.api), []))
  expect((await house.stateOf(payment))?.state).toBe('pending')
})

type Sent = { readonly hash: string; readonly from: string; readonly nonce: string }

const blockAt = (number: number) =>
  house.chain.rpc<{ transactions: readonly Sent[] }>('eth_getBlockByNumber', `0x${number.toString(16)}`, true)

const isRange = ({ method, params: [where] }: Question) =>
  method === 'eth_getLogs' && typeof where === 'object' && where !== null && 'fromBlock' in where
const isByHash = (question: Question) => question.method === 'eth_getLogs' && !isRange(question)

test('a node that tells of no transfers where there are some is asked again by the block', async () => {
  const payment = await house.opened()
  await house.chain.pay(payment.address, 1000n)
  await house.chain.mine()
  await house.readThrough((question, answer) => (isRange(question) ? [] : answer))
  expect((await house.stateOf(payment))?.state).toBe('processing')
})

test('a block whose transfers a node does not know is not passed over', async () => {
  const payment = await house.opened()
  const before = await findCursor(house.sql, house.watched.id)
  await house.chain.pay(payment.address, 1000n)
  await house.chain.mine()
  await house.readThrough((question, answer) => {
    if (isRange(question)) return []
    return isByHash(question) || question.method === 'eth_getTransactionReceipt' ? no : answer
  })
  expect((await findCursor(house.sql, house.watched.id))?.number).toBe(before?.number)
  await house.read()
  expect((await house.stateOf(payment))?.state).toBe('processing')
})

test("transfers of blocks that are none of the chain's are believed to nobody", async () => {
  const payment = await house.opened()
  const before = await findCursor(house.sql, house.watched.id)
  await house.chain.pay(payment.address, 1000n)
  await house.chain.mine()
  const lying = house.readThrough((question, answer) =>
    isRange(question) && Array.isArray(answer)
      ? answer.map(log => ({ ...log, blockHash: `0x${'f'.repeat(64)}` }))
      : answer,
  )
  await expect(lying).rejects.toThrow('garbage')
  expect((await findCursor(house.sql, house.watched.id))?.number).toBe(before?.number)
})

test('a range that a node refuses is read in halves, and none of it is left out', async () => {
  const many = await Promise.all(Array.from({ length: 6 }, house.opened))
  for (const payment of many) {
    await house.chain.pay(payment.address, 1000n)
    await house.chain.mine(7)
  }
  await house.readThrough((question, answer) => {
    if (!isRange(question)) return answer
    const [{ fromBlock, toBlock }] = question.params as [{ fromBlock: string; toBlock: string }]
    return Number(toBlock) - Number(fromBlock) >= 5 ? no : answer
  })
  for (const payment of many) expect(['processing', 'success']).toContain((await house.stateOf(payment))?.state ?? '')
})

test('what the second of two nodes does not confirm never succeeds', async () => {
  const payment = await house.opened()
  await house.chain.pay(payment.address, 1000n)
  await house.chain.mine(CONFIRMATIONS)
  await house.readThrough((question, answer) => (isRange(question) ? [] : answer), [house.chain.url])
  expect(await house.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await house.read()
  expect((await house.stateOf(payment))?.state).toBe('success')
})

test('a node that leaves out some of a block is found out by the other', async () => {
  const [told, left] = [await house.opened(), await house.opened()]
  await house.chain.pay(told.address, 1000n)
  await house.chain.pay(left.address, 1000n)
  await house.chain.mine()
  const isLeft = ({ topics }: { topics: string[] }) => topics[2]?.endsWith(left.address.slice(2).toLowerCase())
  const truncating: Change = (question, answer) =>
    question.method === 'eth_getLogs' && Array.isArray(answer) ? answer.filter(log => !isLeft(log)) : answer
  await house.readThrough(truncating)
  expect([(await house.stateOf(told))?.state, (await house.stateOf(left))?.state]).toEqual(['processing', 'pending'])
  await house.chain.mine(CONFIRMATIONS)
  // Two that do not agree make nothing final.
  await house.readThrough(truncating, [house.chain.url])
  expect((await house.stateOf(told))?.state).toBe('processing')
  await house.read()
  expect(await house.stateOf(left)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect((await house.stateOf(told))?.state).toBe('success')
})

test.each([
  ['a number that is none', () => 'many'],
  ['nothing', () => undefined],
  ['an object', () => ({})],
  ['a number beyond what is exact', () => '0xffffffffffffffff'],
])('%s for the head is no answer, and changes nothing', async (_, answer) => {
  const before = await findCursor(house.sql, house.watched.id)
  await house.chain.mine()
  const garbled = house.readThrough((question, truth) => (question.method === 'eth_blockNumber' ? answer() : truth))
  await expect(garbled).rejects.toThrow('garbage')
  expect(await findCursor(house.sql, house.watched.id)).toEqual(before)
})

test('two readers at once read every block once', async () => {
  const many = await Promise.all(Array.from({ length: 5 }, house.opened))
  for (const payment of many) {
    await house.chain.pay(payment.address, 1000n)
    await house.chain.mine(3)
  }
  const one = async () => {
    for (let steps = 0; steps < 40; steps++)
      await readNext(house.sql, house.watched, house.source, { most: 2 }).catch(ignoreMoved)
  }
  await Promise.all([one(), one(), one()])
  await house.read()
  for (const payment of many) expect(await house.stateOf(payment)).toMatchObject({ amountReceived: 1000n })
})

const ignoreMoved = (error: unknown) => {
  if (!(error instanceof Error && 'code' in error && error.code === 'PM002')) throw error
}

test('whether money is test money is known before any of its chain is read', async () => {
  const { sql, watched, chain } = house
  await sql`update chain_cursors set livemode = null, confirmations = null where chain_id = ${watched.id}`
  await chain.mine()
  expect(await readNext(sql, { ...watched, livemode: false }, house.source)).toBe('recorded')
  const [row] = await sql`select livemode, confirmations from chain_cursors where chain_id = ${watched.id}`
  expect({ ...row }).toEqual({ livemode: false, confirmations: CONFIRMATIONS })
})
