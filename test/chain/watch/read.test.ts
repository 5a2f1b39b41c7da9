import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor } from '../../../src/chain/watch/books.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { type ChainSource, readNext, type WatchedChain } from '../../../src/chain/watch/read.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiHouse, apiHouse } from '../../harness/api.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { giveOut } from './ledger.ts'
import { type Change, no, type Question, type TestChain, testChain, through } from './node.ts'

let house: ApiHouse
let chain: TestChain
let merchantId: string
let watched: WatchedChain
let source: ChainSource

const CONFIRMATIONS = 8

beforeAll(async () => {
  house = await apiHouse({ routes: [] })
  chain = await testChain()
  merchantId = await insertMerchant(house.sql)
  watched = { id: 31337, tokens: [chain.token, chain.otherToken], confirmations: CONFIRMATIONS }
  source = sourceOf(chain.url)
  await chain.mine(20)
  await read()
})
afterAll(async () => {
  expect(await audit(house.sql, kinds)).toEqual([])
  await chain[Symbol.asyncDispose]()
  await house[Symbol.asyncDispose]()
})
// A test leaves a chain on which nothing of it can change any more.
afterEach(async () => {
  await chain.mine(CONFIRMATIONS)
  await read()
})

/** A process's own, which has asked nobody anything yet. */
const sourceOf = (...urls: string[]): ChainSource =>
  openSource(openRpc({ chainId: watched.id, urls }, house.api), watched.tokens)

const opened = async (): Promise<MadePayment> => {
  const payment = await makePayment(house.api, { merchantId, livemode: false }, '')
  const pick = { address: payment.address, tokenAddress: chain.token }
  await happen(house.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await giveOut(house.sql, payment)
  return payment
}

/** Until nothing is new, as a process does it that has just been started. */
const read = async (from = source) => {
  for (let steps = 0; steps < 200; steps++) {
    if ((await readNext(house.sql, watched, from)) === 'idle') break
  }
  await finalizeNext(house.sql, watched, from)
  while ((await settlePayments(house.api)) > 0);
}

const stateOf = async ({ actor }: MadePayment) => {
  const payment = await findPayment(house.sql, { id: actor, merchantId, livemode: false })
  return payment && { ...payment.context, state: payment.state }
}

const headOf = async () => Number(await chain.rpc<string>('eth_blockNumber'))

test('a transfer is seen in its block, and final when enough stand on it', async () => {
  const payment = await opened()
  const txHash = await chain.pay(payment.address, 1000n)
  await chain.mine()
  await read()
  expect(await stateOf(payment)).toMatchObject({ state: 'processing', txHash, blockNumber: await headOf() })
  await chain.mine(CONFIRMATIONS - 2)
  await read()
  expect((await stateOf(payment))?.state).toBe('processing')
  await chain.mine()
  await read()
  expect(await stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('after an outage everything is found, each in its block', async () => {
  const many = await Promise.all(Array.from({ length: 30 }, opened))
  for (const payment of many) {
    await chain.pay(payment.address, 1000n)
    await chain.mine(15)
  }
  await read()
  const states = await Promise.all(many.map(async payment => (await stateOf(payment))?.state))
  expect(states.filter(state => state === 'success')).toHaveLength(30 - 1 + (states.at(-1) === 'success' ? 1 : 0))
  const blocks = await house.sql`
    select from transfers where state <> 'orphaned' and payment_id in ${house.sql(many.map(({ actor }) => actor))}`
  expect(blocks).toHaveLength(30)
  expect((await findCursor(house.sql, watched.id))?.number).toBe(await headOf())
})

for (const depth of [1, 2, 3, 5, CONFIRMATIONS - 1])
  test(`a reorganisation of depth ${depth} that loses a transfer, moves it or brings it back is followed`, async () => {
    const [lost, moved] = [await opened(), await opened()]
    await chain.pay(lost.address, 1000n)
    await chain.pay(moved.address, 1000n)
    await chain.mine(depth)
    await read()
    const first = await stateOf(moved)
    expect([(await stateOf(lost))?.state, first?.state]).toEqual(['processing', 'processing'])

    await chain.reorganize(depth, [[chain.payment(moved.address, 1000n), depth - 1]])
    await read()
    expect(await stateOf(lost)).toMatchObject({ state: 'pending', amountReceived: 0n, txHash: null })
    expect(await stateOf(moved)).toMatchObject({ state: 'processing', blockNumber: await headOf() })

    const again = await chain.pay(lost.address, 1000n)
    await chain.mine(CONFIRMATIONS)
    await read()
    expect(await stateOf(lost)).toMatchObject({ state: 'success', txHash: again, amountReceived: 1000n })
    expect(await stateOf(moved)).toMatchObject({ state: 'success', amountReceived: 1000n })
  })

test('a chain that has become shorter is waited for, and its other branch followed', async () => {
  const payment = await opened()
  await chain.pay(payment.address, 1000n)
  await chain.mine(3)
  await read()
  await chain.rollback(3)
  await read()
  // Nothing says yet that its block is gone for good.
  expect((await stateOf(payment))?.state).toBe('processing')
  await chain.mine(4)
  await read()
  expect(await stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})

test('money in another token that is watched is seen as such', async () => {
  const payment = await opened()
  await chain.pay(payment.address, 1000n, chain.otherToken)
  await chain.mine()
  await read()
  expect(await stateOf(payment)).toMatchObject({ state: 'pending', exception: 'wrong_asset', attention: true })
})

/** Reads by a node that changes some of what the chain answers. */
const readThrough = async (change: Change, others: readonly string[] = []) => {
  await using node = await through(chain.url, change)
  await read(sourceOf(...others, node.url))
}

const isRange = ({ method, params: [where] }: Question) =>
  method === 'eth_getLogs' && typeof where === 'object' && where !== null && 'fromBlock' in where
const isByHash = (question: Question) => question.method === 'eth_getLogs' && !isRange(question)

test('a node that tells of no transfers where there are some is asked again by the block', async () => {
  const payment = await opened()
  await chain.pay(payment.address, 1000n)
  await chain.mine()
  await readThrough((question, answer) => (isRange(question) ? [] : answer))
  expect((await stateOf(payment))?.state).toBe('processing')
})

test('a block whose transfers a node does not know is not passed over', async () => {
  const payment = await opened()
  const before = await findCursor(house.sql, watched.id)
  await chain.pay(payment.address, 1000n)
  await chain.mine()
  await readThrough((question, answer) => (isRange(question) ? [] : isByHash(question) ? no : answer))
  expect((await findCursor(house.sql, watched.id))?.number).toBe(before?.number)
  await read()
  expect((await stateOf(payment))?.state).toBe('processing')
})

test("transfers of blocks that are none of the chain's are believed to nobody", async () => {
  const payment = await opened()
  const before = await findCursor(house.sql, watched.id)
  await chain.pay(payment.address, 1000n)
  await chain.mine()
  const lying = readThrough((question, answer) =>
    isRange(question) && Array.isArray(answer)
      ? answer.map(log => ({ ...log, blockHash: `0x${'f'.repeat(64)}` }))
      : answer,
  )
  await expect(lying).rejects.toThrow('garbage')
  expect((await findCursor(house.sql, watched.id))?.number).toBe(before?.number)
})

test('a range that a node refuses is read in halves, and none of it is left out', async () => {
  const many = await Promise.all(Array.from({ length: 6 }, opened))
  for (const payment of many) {
    await chain.pay(payment.address, 1000n)
    await chain.mine(7)
  }
  await readThrough((question, answer) => {
    if (!isRange(question)) return answer
    const [{ fromBlock, toBlock }] = question.params as [{ fromBlock: string; toBlock: string }]
    return Number(toBlock) - Number(fromBlock) >= 5 ? no : answer
  })
  for (const payment of many) expect(['processing', 'success']).toContain((await stateOf(payment))?.state ?? '')
})

test('what the second of two nodes does not confirm never succeeds', async () => {
  const payment = await opened()
  await chain.pay(payment.address, 1000n)
  await chain.mine(CONFIRMATIONS)
  await readThrough((question, answer) => (isRange(question) ? [] : answer), [chain.url])
  expect(await stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await read()
  expect((await stateOf(payment))?.state).toBe('success')
})

test('a node that leaves out some of a block is found out by the other', async () => {
  const [told, left] = [await opened(), await opened()]
  await chain.pay(told.address, 1000n)
  await chain.pay(left.address, 1000n)
  await chain.mine()
  const isLeft = ({ topics }: { topics: string[] }) => topics[2]?.endsWith(left.address.slice(2).toLowerCase())
  const truncating: Change = (question, answer) =>
    question.method === 'eth_getLogs' && Array.isArray(answer) ? answer.filter(log => !isLeft(log)) : answer
  await readThrough(truncating)
  expect([(await stateOf(told))?.state, (await stateOf(left))?.state]).toEqual(['processing', 'pending'])
  await chain.mine(CONFIRMATIONS)
  // Two that do not agree make nothing final.
  await readThrough(truncating, [chain.url])
  expect((await stateOf(told))?.state).toBe('processing')
  await read()
  expect(await stateOf(left)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect((await stateOf(told))?.state).toBe('success')
})

test.each([
  ['a number that is none', () => 'many'],
  ['nothing', () => undefined],
  ['an object', () => ({})],
  ['a number beyond what is exact', () => '0xffffffffffffffff'],
])('%s for the head is no answer, and changes nothing', async (_, answer) => {
  const before = await findCursor(house.sql, watched.id)
  await chain.mine()
  const garbled = readThrough((question, truth) => (question.method === 'eth_blockNumber' ? answer() : truth))
  await expect(garbled).rejects.toThrow('garbage')
  expect(await findCursor(house.sql, watched.id)).toEqual(before)
})

test('two readers at once read every block once', async () => {
  const many = await Promise.all(Array.from({ length: 5 }, opened))
  for (const payment of many) {
    await chain.pay(payment.address, 1000n)
    await chain.mine(3)
  }
  const one = async () => {
    for (let steps = 0; steps < 40; steps++) await readNext(house.sql, watched, source, { most: 2 }).catch(ignoreMoved)
  }
  await Promise.all([one(), one(), one()])
  await read()
  for (const payment of many) expect(await stateOf(payment)).toMatchObject({ amountReceived: 1000n })
})

const ignoreMoved = (error: unknown) => {
  if (!(error instanceof Error && 'code' in error && error.code === 'PM002')) throw error
}
