import { afterAll, describe, expect, test } from 'bun:test'
import type { LogFilter } from '../../../src/chain/rpc/log.ts'
import { type LogRange, openLogRanges } from '../../../src/chain/rpc/log-ranges.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { type Rpc, RpcFault, RpcRefusal } from '../../../src/chain/rpc/rpc.ts'
import { manualClock } from '../../../src/clock.ts'
import { readableLog } from '../../harness/lines.ts'
import { changedNode, refusalWith } from '../watch/test-node.ts'
import { openNodes, pay, token, tokenChain, transferTopic, word } from './nodes.ts'

// A payment in every third block, with the block number as its amount.
const chain = await tokenChain()
const paidIn: number[] = []
for (let i = 0; i < 40; i++) {
  const { number } = await chain.mine(2)
  await pay(chain, '0xbeef', number + 1)
  paidIn.push(number + 1)
}
const head = (await chain.head()).number
afterAll(() => chain[Symbol.asyncDispose]())

const filter: LogFilter = { addresses: [token], topics: [transferTopic, null, `0x${word('0xbeef')}`] }

const readAll = async (rpc: Rpc, read = openLogRanges(rpc.read), toBlock = head): Promise<readonly LogRange[]> => {
  const ranges: LogRange[] = []
  for await (const range of read({ fromBlock: 1, toBlock }, filter, { timeoutMs: 2_000 })) ranges.push(range)
  return ranges
}

/** Expects every block in exactly one range, and every payment. */
const expectWhole = (ranges: readonly LogRange[]) => {
  let next = 1
  for (const { fromBlock, toBlock, end } of ranges) {
    expect(fromBlock).toBe(next)
    expect(end.number).toBe(toBlock)
    next = toBlock + 1
  }
  expect(next).toBe(head + 1)
  const logs = ranges.flatMap(range => range.logs)
  expect(logs.map(log => log.blockNumber)).toEqual(paidIn)
  expect(logs.map(log => Number(log.data))).toEqual(paidIn)
}

describe('the logs of a range', () => {
  test('are read in one request from a node without limits', async () => {
    await using nodes = await openNodes(chain)
    const ranges = await readAll(nodes.rpc)
    expect(ranges).toHaveLength(1)
    expectWhole(ranges)
  })

  for (const most of [1, 2, 7, 50]) {
    test(`are read without a gap from a node that accepts ${most} blocks at once`, async () => {
      await using nodes = await openNodes(chain)
      nodes.node.break('refuses_ranges', { most })
      const ranges = await readAll(nodes.rpc)
      expectWhole(ranges)
      for (const { fromBlock, toBlock } of ranges) expect(toBlock - fromBlock + 1).toBeLessThanOrEqual(most)
    })
  }

  test('are read with the range size that succeeded before', async () => {
    await using nodes = await openNodes(chain)
    nodes.node.break('refuses_ranges', { most: 10 })
    const read = openLogRanges(nodes.rpc.read)
    await readAll(nodes.rpc, read)
    const before = nodes.node.asked.length
    await readAll(nodes.rpc, read)
    // Twelve answers of ten blocks, and few refusals. Finding the size again from the whole range takes more requests.
    expect(nodes.node.asked.length - before).toBeLessThan(25)
  })

  test('are read with the same range size after a node has reported a rate limit as -32005', async () => {
    let limits = false
    await using node = await changedNode(chain.url, (_, answer) => (limits ? refusalWith(-32005) : answer))
    const clock = manualClock()
    const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
    const rpc = openRpc({ chainId: 31_337, urls: [node.url] }, { clock, random, log: readableLog().log })
    const read = openLogRanges(rpc.read)
    expect(await readAll(rpc, read)).toHaveLength(1)
    limits = true
    await expect(readAll(rpc, read)).rejects.toMatchObject({ reason: 'rate_limited' })
    limits = false
    clock.advance(3_600_000)
    expect(await readAll(rpc, read)).toHaveLength(1)
    rpc.close()
  })

  test('are read in halves when the answer is too large', async () => {
    await using nodes = await openNodes(chain)
    const ranges: LogRange[] = []
    const read = openLogRanges(nodes.rpc.read)
    for await (const range of read({ fromBlock: 1, toBlock: head }, filter, { maxBytes: 4_000 })) ranges.push(range)
    expect(ranges.length).toBeGreaterThan(5)
    expectWhole(ranges)
    expect(nodes.rpc.health()).toMatchObject([{ consecutiveFaults: 0 }])
  })

  test('are read from the second node when the first refuses', async () => {
    await using nodes = await openNodes(chain, { count: 2 })
    nodes.node.break('refuses_ranges', { most: 1 })
    const ranges = await readAll(nodes.rpc)
    expect(ranges).toHaveLength(1)
    expectWhole(ranges)
  })

  test('are refused when a single block is refused: no block is skipped', async () => {
    await using nodes = await openNodes(chain)
    nodes.node.break('refuses_ranges', { most: 0 })
    const got: LogRange[] = []
    const reading = (async () => {
      for await (const range of openLogRanges(nodes.rpc.read)({ fromBlock: 1, toBlock: head }, filter)) got.push(range)
    })()
    expect(await reading.catch((error: unknown) => error)).toBeInstanceOf(RpcRefusal)
    expect(got).toEqual([])
  })

  test('are a fault from a node that does not have the last block, although it answers without an error', async () => {
    await using nodes = await openNodes(chain)
    nodes.node.break('lags', { blocks: 5 })
    expect(await readAll(nodes.rpc).catch((error: unknown) => error)).toMatchObject({ reason: 'behind' })
  })

  test('are read from the node that has them when the other is behind', async () => {
    await using nodes = await openNodes(chain, { count: 2 })
    nodes.node.break('lags', { blocks: 5 })
    expectWhole(await readAll(nodes.rpc))
  })

  for (const how of ['recipient', 'block'] as const) {
    test(`are a fault when the ${how} is wrong`, async () => {
      await using nodes = await openNodes(chain)
      nodes.node.break('lies_about_log', { how })
      expect(await readAll(nodes.rpc).catch((error: unknown) => error)).toMatchObject({ reason: 'garbage' })
    })
  }

  test('are read on from the last complete range after a fault', async () => {
    await using nodes = await openNodes(chain)
    nodes.node.break('refuses_ranges', { most: 10 })
    const got: LogRange[] = []
    let faults = 0
    let from = 1
    const read = openLogRanges(nodes.rpc.read)
    while (from <= head) {
      try {
        for await (const range of read({ fromBlock: from, toBlock: head }, filter, { timeoutMs: 2_000 })) {
          got.push(range)
          from = range.toBlock + 1
          if (got.length % 4 === 0) nodes.node.break('closes_half_way', { times: 1 })
        }
      } catch (error) {
        expect(error).toBeInstanceOf(RpcFault)
        faults++
        nodes.rested()
      }
    }
    expect(faults).toBeGreaterThan(1)
    expectWhole(got)
  })
})
