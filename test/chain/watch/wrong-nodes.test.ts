import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { findCursor } from '../../../src/chain/watch/chain-state.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { until } from '../../harness/until.ts'
import { type ChainFixture, CONFIRMATIONS, openChainFixture } from './chain-fixture.ts'
import { type AnswerChange, changedNode, logsAs, type NodeLog } from './test-node.ts'

/** A node with wrong answers, alone or next to a correct one. */

let fixture: ChainFixture

beforeAll(async () => {
  fixture = await openChainFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())
afterEach(async () => {
  await fixture.rest()
  expect(await fixture.audit()).toEqual([])
})

const hex = (number: number | bigint, digits = 1) => `0x${number.toString(16).padStart(digits, '0')}`

type Block = Readonly<Record<'number' | 'hash' | 'parentHash' | 'timestamp', string>>

const blocksAs =
  (change: (block: Block) => object): AnswerChange =>
  ({ method }, answer) =>
    method === 'eth_getBlockByNumber' && answer ? change(answer as Block) : answer

const reads = async (times: number, from?: ReturnType<ChainFixture['sourceOf']>) => {
  for (let n = 0; n < times; n++) await fixture.read(from)
}

const paid = async () => {
  const payment = await fixture.openPayment()
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine()
  return payment
}

for (const [what, change] of [
  ['a higher amount', (log: NodeLog) => ({ ...log, data: hex(BigInt(log.data) + 1n, 64) })],
  ['a lower amount', (log: NodeLog) => ({ ...log, data: hex(BigInt(log.data) - 1n, 64) })],
  ['another token', (log: NodeLog) => ({ ...log, address: fixture.chain.otherToken })],
] as const)
  test(`the final transfer is correct although a node reported ${what} first`, async () => {
    const payment = await paid()
    await fixture.readThrough(logsAs(logs => logs.map(change)))
    await fixture.chain.mine(2 * CONFIRMATIONS)
    await reads(2)
    expect(await fixture.stateOf(payment)).toMatchObject({
      state: 'success',
      amountReceived: 1000n,
      amountFinal: 1000n,
    })
  })

/** A node that adds so many invented blocks to the head. */
const toppedBy = async (blocks: number): Promise<AnswerChange> => {
  const head = await fixture.head()
  const top = (await fixture.chain.rpc('eth_getBlockByNumber', hex(head), false)) as Block
  const hashOf = (n: number) => (n === head ? top.hash : hex((0xabcdn << 200n) + BigInt(n), 64))
  const isInvented = (n: number) => n > head && n <= head + blocks
  const blockOf = (n: number) => ({
    ...{ ...top, number: hex(n), hash: hashOf(n), parentHash: hashOf(n - 1), logsBloom: hex(0, 512) },
    timestamp: hex(Number(top.timestamp) + n - head),
  })
  return ({ method, params: [place] }, answer) => {
    if (method === 'eth_blockNumber') return hex(head + blocks)
    if (method === 'eth_getBlockByNumber') {
      if (place === 'latest') return blockOf(head + blocks)
      return isInvented(Number(place)) ? blockOf(Number(place)) : answer
    }
    return method === 'eth_getLogs' ? (answer ?? []) : answer
  }
}

test('blocks invented by one of two nodes make nothing final', async () => {
  const payment = await paid()
  await fixture.withTwoNodes(await toppedBy(CONFIRMATIONS - 1), async source => {
    await reads(3, source)
    expect((await fixture.stateOf(payment))?.state).toBe('processing')
  })
  // The node loses its lead with the next block, and correct nodes are read.
  await fixture.chain.reorganize(1)
  await fixture.chain.mine(2 * CONFIRMATIONS)
  await reads(2)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})

test('blocks invented by one of two nodes do not count as confirmations', async () => {
  const payment = await fixture.openPayment({ confirmationsRequired: CONFIRMATIONS + 5 })
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine(CONFIRMATIONS + 1)
  await fixture.withTwoNodes(await toppedBy(6), async source => {
    await reads(3, source)
    expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  })
  await fixture.chain.mine(3)
  await reads(2)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await fixture.chain.mine()
  await reads(2)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('recorded blocks that a reorg has replaced do not become final, also without transfers', async () => {
  const { sql, watched, source, chain } = fixture
  await chain.mine(CONFIRMATIONS + 1)
  while ((await readNext(sql, watched, source)) !== 'idle');
  const before = (await findCursor(sql, watched.id))?.finalNumber
  await chain.reorganize(CONFIRMATIONS + 1)
  expect(await finalizeNext(sql, watched, source)).toBe(false)
  expect((await findCursor(sql, watched.id))?.finalNumber).toBe(before)
})

test('a transfer reported one block too early is final in its real block', async () => {
  const [payment, other] = [await fixture.openPayment(), await fixture.openPayment()]
  await fixture.chain.mine()
  const early = await fixture.head()
  const { hash: blockHash } = (await fixture.chain.rpc('eth_getBlockByNumber', hex(early), false)) as Block
  const transactionHash = await fixture.chain.pay(payment.address, 1000n)
  const log = {
    address: fixture.chain.token,
    topics: [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      hex(1, 64),
      `0x${payment.address.slice(2).toLowerCase().padStart(64, '0')}`,
    ],
    ...{ data: hex(1000, 64), blockNumber: hex(early), blockHash, transactionHash },
    ...{ transactionIndex: '0x0', logIndex: '0x0', removed: false },
  }
  await fixture.withTwoNodes(
    logsAs(logs => [...logs, log]),
    source => fixture.read(source),
  )
  await fixture.chain.mine()
  await fixture.chain.pay(other.address, 1000n)
  await fixture.chain.mine(2 * CONFIRMATIONS)
  await reads(2)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountReceived: 1000n, amountFinal: 1000n })
  expect((await fixture.stateOf(other))?.state).toBe('success')
})

test('a transfer that the only node leaves out of a range is read by its block and becomes final', async () => {
  const payment = await paid()
  await fixture.read()
  await fixture.chain.mine(CONFIRMATIONS - 1)
  let left = 0
  await fixture.readThrough(({ method, params: [filter] }, answer) => {
    if (method !== 'eth_getLogs' || 'blockHash' in Object(filter)) return answer
    left += Array.isArray(answer) ? answer.length : 0
    return []
  })
  expect(left).toBeGreaterThan(0)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('a wrong block time of one of two nodes is corrected', async () => {
  const payment = await paid()
  const at = await fixture.head()
  await fixture.chain.mine(CONFIRMATIONS)
  const later = blocksAs(block =>
    Number(block.number) === at ? { ...block, timestamp: hex(Number(block.timestamp) + 7_200) } : block,
  )
  await fixture.withTwoNodes(later, source => reads(2, source).catch(() => {}))
  await reads(2)
  expect(await fixture.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n, exception: null })
})

for (const [what, change] of [
  ['a time beyond the year 9999', blocksAs(block => ({ ...block, timestamp: hex(2 ** 52) }))],
  ['a log index out of range', logsAs(logs => logs.map(log => ({ ...log, logIndex: hex(2 ** 40) })))],
] as const)
  test(`with ${what} from one of two nodes, the other is read`, async () => {
    const payment = await paid()
    await fixture.withTwoNodes(change, source =>
      until(async () => {
        // One node alone makes nothing final.
        await fixture.read(source).catch(() => {})
        await fixture.settle()
        return (await fixture.stateOf(payment))?.state === 'processing'
      }),
    )
  })

for (const [what, change] of [
  ['blocks of another chain', blocksAs(block => ({ ...block, hash: hex(BigInt(block.hash) ^ 1n, 64) }))],
  [
    'transfers of blocks that it was not asked for',
    logsAs(logs => logs.map(log => ({ ...log, blockHash: hex(BigInt(log.blockNumber) + 7n, 64) }))),
  ],
] as const)
  test(`one of three nodes with ${what} delays nothing`, async () => {
    let isWrong = false
    await using other = await changedNode(fixture.chain.url, (_, answer) => answer)
    await using wrongNode = await changedNode(fixture.chain.url, (call, answer) =>
      isWrong ? change(call, answer) : answer,
    )
    const source = fixture.sourceOf(wrongNode.url, fixture.chain.url, other.url)
    await fixture.read(source)
    isWrong = true
    const payment = await paid()
    await fixture.chain.mine(2 * CONFIRMATIONS)
    await until(async () => {
      await fixture.read(source).catch(() => {})
      await fixture.settle()
      return (await fixture.stateOf(payment))?.state === 'success'
    })
  })

test('one of three nodes without a block below its head stops no reading', async () => {
  let last = Number.POSITIVE_INFINITY
  const frozen: AnswerChange = ({ method, params: [place] }, answer) =>
    method === 'eth_getBlockByNumber' && Number(place) > last ? null : answer
  await using first = await changedNode(fixture.chain.url, frozen)
  await using other = await changedNode(fixture.chain.url, (_, answer) => answer)
  const source = fixture.sourceOf(first.url, fixture.chain.url, other.url)
  await fixture.read(source)
  last = await fixture.head()
  for (let blocks = 0; blocks < 3; blocks++) {
    const payment = await paid()
    await fixture.chain.mine(2 * CONFIRMATIONS)
    await reads(2, source)
    expect((await fixture.stateOf(payment))?.state).toBe('success')
  }
})
