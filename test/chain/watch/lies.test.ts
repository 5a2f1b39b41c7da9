import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { findCursor } from '../../../src/chain/watch/books.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { until } from '../../harness/until.ts'
import { type ChainHouse, CONFIRMATIONS, chainHouse } from './chain-house.ts'
import { type Change, logsAs, type ToldLog, through } from './node.ts'

/** A node that says what is not so, alone or beside one that does not. */

let house: ChainHouse

beforeAll(async () => {
  house = await chainHouse()
})
afterAll(() => house[Symbol.asyncDispose]())
afterEach(async () => {
  await house.rest()
  expect(await house.audit()).toEqual([])
})

const hex = (number: number | bigint, digits = 1) => `0x${number.toString(16).padStart(digits, '0')}`

type Block = Readonly<Record<'number' | 'hash' | 'parentHash' | 'timestamp', string>>

const blocksAs =
  (change: (block: Block) => object): Change =>
  ({ method }, answer) =>
    method === 'eth_getBlockByNumber' && answer ? change(answer as Block) : answer

const reads = async (times: number, from?: ReturnType<ChainHouse['sourceOf']>) => {
  for (let n = 0; n < times; n++) await house.read(from)
}

const paid = async () => {
  const payment = await house.opened()
  await house.chain.pay(payment.address, 1000n)
  await house.chain.mine()
  return payment
}

for (const [what, change] of [
  ['more than came', (log: ToldLog) => ({ ...log, data: hex(BigInt(log.data) + 1n, 64) })],
  ['less than came', (log: ToldLog) => ({ ...log, data: hex(BigInt(log.data) - 1n, 64) })],
  ['another token', (log: ToldLog) => ({ ...log, address: house.chain.otherToken })],
] as const)
  test(`${what} is told once: what is final is what came`, async () => {
    const payment = await paid()
    await house.readThrough(logsAs(logs => logs.map(change)))
    await house.chain.mine(2 * CONFIRMATIONS)
    await reads(2)
    expect(await house.stateOf(payment)).toMatchObject({ state: 'success', amountReceived: 1000n, amountFinal: 1000n })
  })

/** A node that puts so many blocks on the head that are not there. */
const toppedBy = async (blocks: number): Promise<Change> => {
  const head = await house.head()
  const top = (await house.chain.rpc('eth_getBlockByNumber', hex(head), false)) as Block
  const hashOf = (n: number) => (n === head ? top.hash : hex((0xabcdn << 200n) + BigInt(n), 64))
  const isMadeUp = (n: number) => n > head && n <= head + blocks
  const blockOf = (n: number) => ({
    ...{ ...top, number: hex(n), hash: hashOf(n), parentHash: hashOf(n - 1), logsBloom: hex(0, 512) },
    timestamp: hex(Number(top.timestamp) + n - head),
  })
  return ({ method, params: [place] }, answer) => {
    if (method === 'eth_blockNumber') return hex(head + blocks)
    if (method === 'eth_getBlockByNumber') {
      if (place === 'latest') return blockOf(head + blocks)
      return isMadeUp(Number(place)) ? blockOf(Number(place)) : answer
    }
    return method === 'eth_getLogs' ? (answer ?? []) : answer
  }
}

test('blocks that one of two nodes has made up make nothing final', async () => {
  const payment = await paid()
  await house.besideAnother(await toppedBy(CONFIRMATIONS - 1), async source => {
    await reads(3, source)
    expect((await house.stateOf(payment))?.state).toBe('processing')
  })
  // The chain loses it by one block, and is read on by those who tell the truth.
  await house.chain.reorganize(1)
  await house.chain.mine(2 * CONFIRMATIONS)
  await reads(2)
  expect(await house.stateOf(payment)).toMatchObject({ state: 'pending', amountReceived: 0n })
})

test('blocks that one of two nodes has made up make nothing as deep as its merchant asked for', async () => {
  const payment = await house.opened({ confirmationsRequired: CONFIRMATIONS + 5 })
  await house.chain.pay(payment.address, 1000n)
  await house.chain.mine(CONFIRMATIONS + 1)
  await house.besideAnother(await toppedBy(6), async source => {
    await reads(3, source)
    expect(await house.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  })
  await house.chain.mine(3)
  await reads(2)
  expect(await house.stateOf(payment)).toMatchObject({ state: 'processing', amountFinal: 0n })
  await house.chain.mine()
  await reads(2)
  expect(await house.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('blocks of the books that the chain has others for by now are not final, though nothing is in either', async () => {
  const { sql, watched, source, chain } = house
  await chain.mine(CONFIRMATIONS + 1)
  while ((await readNext(sql, watched, source)) !== 'idle');
  const before = (await findCursor(sql, watched.id))?.finalNumber
  await chain.reorganize(CONFIRMATIONS + 1)
  expect(await finalizeNext(sql, watched, source)).toBe(false)
  expect((await findCursor(sql, watched.id))?.finalNumber).toBe(before)
})

test('a transfer that is told a block too early is in the end where it is, and the chain is read on', async () => {
  const [payment, other] = [await house.opened(), await house.opened()]
  await house.chain.mine()
  const early = await house.head()
  const { hash: blockHash } = (await house.chain.rpc('eth_getBlockByNumber', hex(early), false)) as Block
  const transactionHash = await house.chain.pay(payment.address, 1000n)
  const log = {
    address: house.chain.token,
    topics: [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      hex(1, 64),
      `0x${payment.address.slice(2).toLowerCase().padStart(64, '0')}`,
    ],
    ...{ data: hex(1000, 64), blockNumber: hex(early), blockHash, transactionHash },
    ...{ transactionIndex: '0x0', logIndex: '0x0', removed: false },
  }
  await house.besideAnother(
    logsAs(logs => [...logs, log]),
    source => house.read(source),
  )
  await house.chain.mine()
  await house.chain.pay(other.address, 1000n)
  await house.chain.mine(2 * CONFIRMATIONS)
  await reads(2)
  expect(await house.stateOf(payment)).toMatchObject({ state: 'success', amountReceived: 1000n, amountFinal: 1000n })
  expect((await house.stateOf(other))?.state).toBe('success')
})

test('money that the only node leaves out of a range at last is asked for by its block, and final', async () => {
  const payment = await paid()
  await house.read()
  await house.chain.mine(CONFIRMATIONS - 1)
  let left = 0
  await house.readThrough(({ method, params: [filter] }, answer) => {
    if (method !== 'eth_getLogs' || 'blockHash' in Object(filter)) return answer
    left += Array.isArray(answer) ? answer.length : 0
    return []
  })
  expect(left).toBeGreaterThan(0)
  expect(await house.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n })
})

test('when a block was mined one of two nodes cannot say alone', async () => {
  const payment = await paid()
  const at = await house.head()
  await house.chain.mine(CONFIRMATIONS)
  const later = blocksAs(block =>
    Number(block.number) === at ? { ...block, timestamp: hex(Number(block.timestamp) + 7_200) } : block,
  )
  await house.besideAnother(later, source => reads(2, source).catch(() => {}))
  await reads(2)
  expect(await house.stateOf(payment)).toMatchObject({ state: 'success', amountFinal: 1000n, exception: null })
})

for (const [what, change] of [
  ['a time beyond all calendars', blocksAs(block => ({ ...block, timestamp: hex(2 ** 52) }))],
  ['a place that no column holds', logsAs(logs => logs.map(log => ({ ...log, logIndex: hex(2 ** 40) })))],
] as const)
  test(`one of two nodes that tells ${what} is left for the other`, async () => {
    const payment = await paid()
    await house.besideAnother(change, source =>
      until(async () => {
        // One alone makes nothing final.
        await house.read(source).catch(() => {})
        await house.settle()
        return (await house.stateOf(payment))?.state === 'processing'
      }),
    )
  })

for (const [what, change] of [
  ['blocks of another chain', blocksAs(block => ({ ...block, hash: hex(BigInt(block.hash) ^ 1n, 64) }))],
  [
    'transfers of other blocks',
    logsAs(logs => logs.map(log => ({ ...log, blockHash: hex(BigInt(log.blockNumber) + 7n, 64) }))),
  ],
] as const)
  test(`one of three nodes that tells ${what} holds up nobody`, async () => {
    let lies = false
    await using other = await through(house.chain.url, (_, answer) => answer)
    await using liar = await through(house.chain.url, (question, answer) => (lies ? change(question, answer) : answer))
    const source = house.sourceOf(liar.url, house.chain.url, other.url)
    await house.read(source)
    lies = true
    const payment = await paid()
    await house.chain.mine(2 * CONFIRMATIONS)
    await until(async () => {
      await house.read(source).catch(() => {})
      await house.settle()
      return (await house.stateOf(payment))?.state === 'success'
    })
  })

test('one of three nodes that has no block behind its head stops no reading', async () => {
  let last = Number.POSITIVE_INFINITY
  const frozen: Change = ({ method, params: [place] }, answer) =>
    method === 'eth_getBlockByNumber' && Number(place) > last ? null : answer
  await using first = await through(house.chain.url, frozen)
  await using other = await through(house.chain.url, (_, answer) => answer)
  const source = house.sourceOf(first.url, house.chain.url, other.url)
  await house.read(source)
  last = await house.head()
  for (let blocks = 0; blocks < 3; blocks++) {
    const payment = await paid()
    await house.chain.mine(2 * CONFIRMATIONS)
    await reads(2, source)
    expect((await house.stateOf(payment))?.state).toBe('success')
  }
})
