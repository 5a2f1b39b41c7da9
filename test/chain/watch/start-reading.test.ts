import { expect, test } from 'bun:test'
import { findCursor } from '../../../src/chain/watch/chain-state.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { type ChainFixture, CONFIRMATIONS, openChainFixture } from './chain-fixture.ts'
import { type AnswerChange, changedNode } from './test-node.ts'

/** As before the first start. */
const openFreshFixture = async (): Promise<ChainFixture> => {
  const fixture = await openChainFixture()
  await fixture.sql`truncate chain_cursors, chain_blocks`
  return fixture
}

const hex = (number: number | bigint, digits = 1) => `0x${number.toString(16).padStart(digits, '0')}`

type Block = Readonly<Record<'number' | 'timestamp', string>>

/** A node that invents so many blocks above the head, while `does` is true. */
const inventing = async (
  { head: headOf, chain }: ChainFixture,
  blocks: number,
  does: () => boolean,
): Promise<AnswerChange> => {
  const head = await headOf()
  const top = (await chain.rpc('eth_getBlockByNumber', hex(head), false)) as Block & { hash: string }
  const hashOf = (n: number) => (n === head ? top.hash : hex((0xabcdn << 200n) + BigInt(n), 64))
  const blockOf = (n: number) => ({
    ...{ ...top, number: hex(n), hash: hashOf(n), parentHash: hashOf(n - 1), logsBloom: hex(0, 512) },
    timestamp: hex(Number(top.timestamp) + n - head),
  })
  return ({ method, params: [place] }, answer) => {
    if (!does()) return answer
    if (method === 'eth_blockNumber') return hex(head + blocks)
    if (method === 'eth_getLogs') return answer ?? []
    if (method !== 'eth_getBlockByNumber') return answer
    if (place === 'latest') return blockOf(head + blocks)
    return Number(place) > head && Number(place) <= head + blocks ? blockOf(Number(place)) : answer
  }
}

const expectPaid = async (fixture: ChainFixture, source = fixture.source) => {
  const payment = await fixture.openPayment()
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine(2 * CONFIRMATIONS)
  await fixture.read(source)
  expect((await fixture.stateOf(payment))?.state).toBe('success')
}

test('reading starts below the lower head of two nodes', async () => {
  await using fixture = await openFreshFixture()
  const { chain, sql, watched } = fixture
  await using wrongNode = await changedNode(chain.url, await inventing(fixture, 500, () => true))
  const source = fixture.sourceOf(wrongNode.url, chain.url)
  await source.head()
  await fixture.read(source).catch(() => {})
  expect((await findCursor(sql, watched.id))?.finalNumber).toBeLessThanOrEqual(await fixture.head())
  await expectPaid(fixture)
  expect(await fixture.audit()).toEqual([])
})

test('reading that started in invented blocks of the only node restarts when the node has others', async () => {
  await using fixture = await openFreshFixture()
  const { chain, sql, watched } = fixture
  let does = true
  await using node = await changedNode(chain.url, await inventing(fixture, 500, () => does))
  const source = fixture.sourceOf(node.url)
  await fixture.read(source)
  expect((await findCursor(sql, watched.id))?.number).toBeGreaterThan(await fixture.head())
  const payment = await fixture.openPayment()
  await chain.pay(payment.address, 1000n)
  await chain.mine()
  does = false
  await fixture.read(source)
  expect((await fixture.stateOf(payment))?.state).toBe('processing')
  await expectPaid(fixture, source)
  expect(await fixture.audit()).toEqual([])
})

test('reading restarts before all payments since its start, also when the chain has passed the invented blocks', async () => {
  await using fixture = await openFreshFixture()
  const { chain } = fixture
  let does = true
  await using node = await changedNode(chain.url, await inventing(fixture, 20, () => does))
  const source = fixture.sourceOf(node.url)
  await fixture.read(source)
  await chain.rpc('evm_increaseTime', 600)
  const payment = await fixture.openPayment()
  await chain.pay(payment.address, 1000n)
  await chain.mine(50)
  does = false
  await fixture.read(fixture.sourceOf(node.url))
  expect((await fixture.stateOf(payment))?.state).toBe('success')
  expect(await fixture.audit()).toEqual([])
})

test('a node that is only behind is asked only for its head', async () => {
  await using fixture = await openFreshFixture()
  const { chain, sql, watched } = fixture
  await fixture.read()
  await chain.mine()
  await fixture.read()
  const head = await fixture.head()
  let asked: unknown[] = []
  await using behind = await changedNode(chain.url, async ({ method, params: [place] }, answer) => {
    asked.push(place ?? method)
    if (method === 'eth_blockNumber') return hex(head - 1)
    if (place === 'latest') return chain.rpc('eth_getBlockByNumber', hex(head - 1), false)
    return place === hex(head) ? null : answer
  })
  const source = fixture.sourceOf(behind.url)
  await source.head()
  asked = []
  expect(await readNext(sql, watched, source)).toBe('idle')
  expect(asked).toEqual(['eth_blockNumber', hex(head), 'latest', hex(head - 1)])
})
