import { expect, test } from 'bun:test'
import { findCursor } from '../../../src/chain/watch/books.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { type ChainHouse, CONFIRMATIONS, chainHouse } from './chain-house.ts'
import { type Change, through } from './node.ts'

/** As before the first start. */
const freshHouse = async (): Promise<ChainHouse> => {
  const house = await chainHouse()
  await house.sql`truncate chain_cursors, chain_blocks`
  return house
}

const hex = (number: number | bigint, digits = 1) => `0x${number.toString(16).padStart(digits, '0')}`

type Block = Readonly<Record<'number' | 'timestamp', string>>

/** A node that has invented so many blocks above the head, for as long as it does. */
const inventing = async ({ head: headOf, chain }: ChainHouse, blocks: number, does: () => boolean): Promise<Change> => {
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

const expectPaid = async (house: ChainHouse, source = house.source) => {
  const payment = await house.opened()
  await house.chain.pay(payment.address, 1000n)
  await house.chain.mine(2 * CONFIRMATIONS)
  await house.read(source)
  expect((await house.stateOf(payment))?.state).toBe('success')
}

test('the first start of a chain begins below the head of the second of two nodes, and reads on', async () => {
  await using house = await freshHouse()
  const { chain, sql, watched } = house
  await using liar = await through(chain.url, await inventing(house, 500, () => true))
  const source = house.sourceOf(liar.url, chain.url)
  await source.head()
  await house.read(source).catch(() => {})
  expect((await findCursor(sql, watched.id))?.finalNumber).toBeLessThanOrEqual(await house.head())
  await expectPaid(house)
  expect(await house.audit()).toEqual([])
})

test('a chain that began in blocks that its only node had invented begins anew once the node has others', async () => {
  await using house = await freshHouse()
  const { chain, sql, watched } = house
  let does = true
  await using node = await through(chain.url, await inventing(house, 500, () => does))
  const source = house.sourceOf(node.url)
  await house.read(source)
  expect((await findCursor(sql, watched.id))?.number).toBeGreaterThan(await house.head())
  const payment = await house.opened()
  await chain.pay(payment.address, 1000n)
  await chain.mine()
  does = false
  await house.read(source)
  expect((await house.stateOf(payment))?.state).toBe('processing')
  await expectPaid(house, source)
  expect(await house.audit()).toEqual([])
})

test('it begins anew before what was paid since its first start, also when the chain has grown beyond the invented blocks', async () => {
  await using house = await freshHouse()
  const { chain } = house
  let does = true
  await using node = await through(chain.url, await inventing(house, 20, () => does))
  const source = house.sourceOf(node.url)
  await house.read(source)
  await chain.rpc('evm_increaseTime', 600)
  const payment = await house.opened()
  await chain.pay(payment.address, 1000n)
  await chain.mine(50)
  does = false
  await house.read(house.sourceOf(node.url))
  expect((await house.stateOf(payment))?.state).toBe('success')
  expect(await house.audit()).toEqual([])
})

test('while a node is only behind, a chain without final transfers asks it nothing but how far it has got', async () => {
  await using house = await freshHouse()
  const { chain, sql, watched } = house
  await house.read()
  await chain.mine()
  await house.read()
  const head = await house.head()
  let asked: unknown[] = []
  await using behind = await through(chain.url, async ({ method, params: [place] }, answer) => {
    asked.push(place ?? method)
    if (method === 'eth_blockNumber') return hex(head - 1)
    if (place === 'latest') return chain.rpc('eth_getBlockByNumber', hex(head - 1), false)
    return place === hex(head) ? null : answer
  })
  const source = house.sourceOf(behind.url)
  await source.head()
  asked = []
  expect(await readNext(sql, watched, source)).toBe('idle')
  expect(asked).toEqual(['eth_blockNumber', hex(head), 'latest', hex(head - 1)])
})
