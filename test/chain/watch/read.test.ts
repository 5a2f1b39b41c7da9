import { expect, test } from 'bun:test'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor } from '../../../src/chain/watch/chain-state.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { findMerchantsPayment } from '../../../src/queries/payments.ts'
import { forFile } from '../../harness/for-file.ts'
import { CONFIRMATIONS, openChainFixture } from './chain-fixture.ts'
import { type AnswerChange, type NodeCall, refusal } from './test-node.ts'

const fixture = await forFile(openChainFixture())

test('a transfer is seen in its block and becomes final with enough confirmations', async () => {
  const payment = await fixture.openPayment()
  const txHash = await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({
    state: 'processing',
    txHash,
    blockNumber: await fixture.head(),
  })
  await fixture.chain.mine(CONFIRMATIONS - 2)
  await fixture.read()
  expect((await fixture.stateOf(payment))?.state).toBe('processing')
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('after an outage every transfer is found in its block', async () => {
  const many = await Promise.all(Array.from({ length: 30 }, fixture.openPayment))
  for (const payment of many) {
    await fixture.chain.pay(payment.address, 1000n)
    await fixture.chain.mine(15)
  }
  await fixture.read()
  const states = await Promise.all(many.map(async payment => (await fixture.stateOf(payment))?.state))
  expect(states.filter(state => state === 'success')).toHaveLength(30 - 1 + (states.at(-1) === 'success' ? 1 : 0))
  const blocks = await fixture.sql`
    select from transfers where state <> 'orphaned' and payment_id in ${fixture.sql(many.map(({ actor }) => actor))}`
  expect(blocks).toHaveLength(30)
  expect((await findCursor(fixture.sql, fixture.watched.id))?.number).toBe(await fixture.head())
})

for (let depth = 1; depth < CONFIRMATIONS; depth++)
  test(`a reorg of depth ${depth} removes, moves or restores a transfer`, async () => {
    const [lost, moved] = [await fixture.openPayment(), await fixture.openPayment()]
    await fixture.chain.pay(lost.address, 1000n)
    await fixture.chain.pay(moved.address, 1000n)
    await fixture.chain.mine(depth)
    await fixture.read()
    const first = await fixture.stateOf(moved)
    expect([(await fixture.stateOf(lost))?.state, first?.state]).toEqual(['processing', 'processing'])

    await fixture.chain.reorganize(depth, [[fixture.chain.payment(moved.address, 1000n), depth - 1]])
    await fixture.read()
    expect(await fixture.stateOf(lost)).toMatchObject({ state: 'pending', amountReceived: 0n, txHash: null })
    expect(await fixture.stateOf(moved)).toMatchObject({ state: 'processing', blockNumber: await fixture.head() })

    const again = await fixture.chain.pay(lost.address, 1000n)
    await fixture.chain.mine(CONFIRMATIONS)
    await fixture.read()
    expect(await fixture.stateOf(lost)).toMatchObject({ state: 'success', txHash: again, amountReceived: 1000n })
    expect(await fixture.stateOf(moved)).toMatchObject({ state: 'success', amountReceived: 1000n })
  })

/** A transaction that replaces a transfer of 1,000 to the payment, with the same sender and nonce. */
type Replaced = readonly [string, (to: string) => Readonly<Record<string, unknown>>, seen: object, final: object]
const nothing = { state: 'pending', amountReceived: 0n, txHash: null, exception: null }

test.each<Replaced>([
  [
    'pays another address',
    () => fixture.chain.payment(`0x${'e1'.repeat(20)}`, 1000n),
    nothing,
    { ...nothing, amountFinal: 0n },
  ],
  [
    'moves less',
    to => fixture.chain.payment(to, 400n),
    { state: 'pending', exception: 'underpaid', amountReceived: 400n },
    { state: 'pending', exception: 'underpaid', amountFinal: 400n },
  ],
  [
    'moves more',
    to => fixture.chain.payment(to, 1500n),
    { state: 'processing', amountReceived: 1500n },
    { state: 'success', exception: 'overpaid', amountFinal: 1500n },
  ],
  [
    'moves another token',
    to => fixture.chain.payment(to, 1000n, fixture.chain.otherToken),
    { ...nothing, exception: 'wrong_asset', attention: true },
    { ...nothing, exception: 'wrong_asset', amountFinal: 0n, finalStrays: 1 },
  ],
])('a transfer replaced on another fork by one that %s does not count', async (_, other, seen, final) => {
  const payment = await fixture.openPayment()
  const txHash = await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine(2)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', txHash, amountReceived: 1000n })
  const { from, nonce } = await fixture.chain.rpc<Sent>('eth_getTransactionByHash', txHash)

  await fixture.chain.reorganize(2, [[other(payment.address), 0]])
  const [there] = (await blockAt((await fixture.head()) - 1)).transactions
  expect(there).toMatchObject({ from, nonce })
  expect(there?.hash).not.toBe(txHash)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject(seen)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject(final)
})

test('a transfer that goes to another payment on another fork pays only that payment', async () => {
  const [first, second] = [await fixture.openPayment(), await fixture.openPayment()]
  await fixture.chain.pay(first.address, 1000n)
  await fixture.chain.mine()
  await fixture.read()
  expect((await fixture.stateOf(first))?.state).toBe('processing')
  await fixture.chain.reorganize(1, [[fixture.chain.payment(second.address, 1000n), 0]])
  await fixture.read()
  expect(await fixture.stateOf(first)).toMatchObject(nothing)
  expect(await fixture.stateOf(second)).toMatchObject({ state: 'processing', amountReceived: 1000n })
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(first)).toMatchObject({ ...nothing, amountFinal: 0n })
  expect(await fixture.stateOf(second)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('a token transfer mined again by a reorg and reverted there pays nothing', async () => {
  const payment = await fixture.openPayment()
  const txHash = await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine(2)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', txHash })
  const raw = await fixture.chain.rpc<string>('eth_getRawTransactionByHash', txHash)

  await fixture.chain.rollback(2)
  const code = await fixture.chain.rpc<string>('eth_getCode', fixture.chain.token, 'latest')
  // On this fork the token is stopped.
  await fixture.chain.rpc('anvil_setCode', fixture.chain.token, '0x5f5ffd')
  await fixture.chain.rpc('eth_sendRawTransaction', raw)
  await fixture.chain.mine(3)
  expect(await fixture.chain.rpc('eth_getTransactionReceipt', txHash)).toMatchObject({ status: '0x0' })
  await fixture.chain.rpc('anvil_setCode', fixture.chain.token, code)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject(nothing)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ ...nothing, amountFinal: 0n })

  const again = await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', txHash: again, amountFinal: 1000n })
})

test('a chain that became shorter is waited for, and its new fork is followed', async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine(3)
  await fixture.read()
  await fixture.chain.rollback(3)
  await fixture.read()
  // It is not certain yet that the block is removed.
  expect((await fixture.stateOf(payment))?.state).toBe('processing')
  await fixture.chain.mine(4)
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})

test('money in another watched token is seen as the wrong asset', async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.pay(payment.address, 1000n, fixture.chain.otherToken)
  await fixture.chain.mine()
  await fixture.read()
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', exception: 'wrong_asset', attention: true })
})

test('of thousands of transfers the hundred largest are shown in order, and all are counted', async () => {
  const payment = await fixture.openPayment()
  for (let n = 1; n <= 110; n++) await fixture.chain.pay(payment.address, n === 55 ? 1000n : BigInt(n))
  await fixture.chain.mine()
  await fixture.read()
  const found = await findMerchantsPayment(fixture.sql, {
    id: payment.actor,
    merchantId: fixture.merchantId,
    livemode: false,
  })
  const sums = found?.shown?.transfers.map(({ amount }) => Number(amount)) ?? []
  expect(sums).toHaveLength(100)
  expect(sums.slice(0, 3)).toEqual([11, 12, 13])
  expect(sums[44]).toBe(1000)
  expect(found?.payment.context.amountReceived).toBe(BigInt((110 * 111) / 2 - 55 + 1000))
})

test('on a chain without tokens no token transfers are read', async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.read(openSource(openRpc({ chainId: fixture.watched.id, urls: [fixture.chain.url] }, fixture.api), []))
  expect((await fixture.stateOf(payment))?.state).toBe('pending')
})

type Sent = { readonly hash: string; readonly from: string; readonly nonce: string }

const blockAt = (number: number) =>
  fixture.chain.rpc<{ transactions: readonly Sent[] }>('eth_getBlockByNumber', `0x${number.toString(16)}`, true)

const isRange = ({ method, params: [where] }: NodeCall) =>
  method === 'eth_getLogs' && typeof where === 'object' && where !== null && 'fromBlock' in where
const isByHash = (call: NodeCall) => call.method === 'eth_getLogs' && !isRange(call)

test('a block whose bloom announces transfers is requested again when the node returned none', async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.readThrough((call, answer) => (isRange(call) ? [] : answer))
  expect((await fixture.stateOf(payment))?.state).toBe('processing')
})

test('a block whose transfers the node does not have is not skipped', async () => {
  const payment = await fixture.openPayment()
  const before = await findCursor(fixture.sql, fixture.watched.id)
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.readThrough((call, answer) => {
    if (isRange(call)) return []
    return isByHash(call) || call.method === 'eth_getTransactionReceipt' ? refusal : answer
  })
  expect((await findCursor(fixture.sql, fixture.watched.id))?.number).toBe(before?.number)
  await fixture.read()
  expect((await fixture.stateOf(payment))?.state).toBe('processing')
})

test('transfers of blocks that are not on the chain are refused', async () => {
  const payment = await fixture.openPayment()
  const before = await findCursor(fixture.sql, fixture.watched.id)
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine()
  const reading = fixture.readThrough((call, answer) =>
    isRange(call) && Array.isArray(answer) ? answer.map(log => ({ ...log, blockHash: `0x${'f'.repeat(64)}` })) : answer,
  )
  await expect(reading).rejects.toThrow('garbage')
  expect((await findCursor(fixture.sql, fixture.watched.id))?.number).toBe(before?.number)
})

test('a range that a node refuses is read in halves without a gap', async () => {
  const many = await Promise.all(Array.from({ length: 6 }, fixture.openPayment))
  for (const payment of many) {
    await fixture.chain.pay(payment.address, 1000n)
    await fixture.chain.mine(7)
  }
  await fixture.readThrough((call, answer) => {
    if (!isRange(call)) return answer
    const [{ fromBlock, toBlock }] = call.params as [{ fromBlock: string; toBlock: string }]
    return Number(toBlock) - Number(fromBlock) >= 5 ? refusal : answer
  })
  for (const payment of many) expect(['processing', 'success']).toContain((await fixture.stateOf(payment))?.state ?? '')
})

test('a transfer that the second of two nodes does not confirm never makes a success', async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS)
  await fixture.readThrough((call, answer) => (isRange(call) ? [] : answer), [fixture.chain.url])
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await fixture.read()
  expect((await fixture.stateOf(payment))?.state).toBe('success')
})

test('a transfer that one of two nodes leaves out of a block is found through the other', async () => {
  const [reported, left] = [await fixture.openPayment(), await fixture.openPayment()]
  await fixture.chain.pay(reported.address, 1000n)
  await fixture.chain.pay(left.address, 1000n)
  await fixture.chain.mine()
  const isLeft = ({ topics }: { topics: string[] }) => topics[2]?.endsWith(left.address.slice(2).toLowerCase())
  const truncating: AnswerChange = (call, answer) =>
    call.method === 'eth_getLogs' && Array.isArray(answer) ? answer.filter(log => !isLeft(log)) : answer
  await fixture.readThrough(truncating)
  expect([(await fixture.stateOf(reported))?.state, (await fixture.stateOf(left))?.state]).toEqual([
    'processing',
    'pending',
  ])
  await fixture.chain.mine(CONFIRMATIONS)
  // Two nodes that disagree make nothing final.
  await fixture.readThrough(truncating, [fixture.chain.url])
  expect((await fixture.stateOf(reported))?.state).toBe('processing')
  await fixture.read()
  expect(await fixture.stateOf(left)).toMatchObject({ state: 'success', amountFinal: 1000n })
  expect((await fixture.stateOf(reported))?.state).toBe('success')
})

test.each([
  ['a text', () => 'many'],
  ['null', () => undefined],
  ['an object', () => ({})],
  ['an unsafe integer', () => '0xffffffffffffffff'],
])('%s for the head is no answer, and changes nothing', async (_, answer) => {
  const before = await findCursor(fixture.sql, fixture.watched.id)
  await fixture.chain.mine()
  const garbled = fixture.readThrough((call, truth) => (call.method === 'eth_blockNumber' ? answer() : truth))
  await expect(garbled).rejects.toThrow('garbage')
  expect(await findCursor(fixture.sql, fixture.watched.id)).toEqual(before)
})

test('two parallel readers record every block once', async () => {
  const many = await Promise.all(Array.from({ length: 5 }, fixture.openPayment))
  for (const payment of many) {
    await fixture.chain.pay(payment.address, 1000n)
    await fixture.chain.mine(3)
  }
  const one = async () => {
    for (let steps = 0; steps < 40; steps++)
      await readNext(fixture.sql, fixture.watched, fixture.source, { most: 2 }).catch(ignoreMoved)
  }
  await Promise.all([one(), one(), one()])
  await fixture.read()
  for (const payment of many) expect(await fixture.stateOf(payment)).toMatchObject({ amountReceived: 1000n })
})

const ignoreMoved = (error: unknown) => {
  if (!(error instanceof Error && 'code' in error && error.code === 'PM002')) throw error
}

test('the mode of a chain is recorded before its blocks are read', async () => {
  const { sql, watched, chain } = fixture
  await sql`update chain_cursors set livemode = null, confirmations = null where chain_id = ${watched.id}`
  await chain.mine()
  expect(await readNext(sql, { ...watched, livemode: false }, fixture.source)).toBe('recorded')
  const [row] = await sql`select livemode, confirmations from chain_cursors where chain_id = ${watched.id}`
  expect({ ...row }).toEqual({ livemode: false, confirmations: CONFIRMATIONS })
})
