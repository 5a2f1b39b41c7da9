import { afterAll, describe, expect, test } from 'bun:test'
import { readHeader } from '../../../src/chain/rpc/block.ts'
import { readLogs } from '../../../src/chain/rpc/log.ts'
import { findReceipt } from '../../../src/chain/rpc/receipt.ts'
import { type RpcAnswer, type RpcCall, RpcFault, resultOf } from '../../../src/chain/rpc/rpc.ts'
import type { Faults } from '../../harness/faulty-node.ts'
import { until } from '../../harness/until.ts'
import { openNodes, openPair, pay, tokenChain } from './nodes.ts'

const chain = await tokenChain()
const paid = await pay(chain, '0xbeef', 1_000)
await chain.mine(120)
afterAll(() => chain[Symbol.asyncDispose]())

const first: RpcCall = { method: 'eth_getBlockByNumber', params: ['0x1', false] }
const receipt: RpcCall = { method: 'eth_getTransactionReceipt', params: [paid] }
const readFirst = ([answer]: readonly RpcAnswer[]) => readHeader(resultOf(answer), { number: 1 }).hash
const readStatus = ([answer]: readonly RpcAnswer[]) => findReceipt(resultOf(answer), paid)?.status ?? null
const asked = (node: { readonly asked: readonly (readonly string[])[] }, method: string) =>
  node.asked.filter(methods => methods.includes(method)).length
const fault = (error: unknown) => (error instanceof RpcFault ? error.reason : error)

describe('two nodes', () => {
  const breaks: readonly (keyof Faults)[] = [
    ...(['garbage', 'truncates_json', 'closes_half_way', 'gigabyte', 'rate_limits', 'redirects', 'fails'] as const),
    ...(['loses_entries', 'repeats_entries', 'shifts_ids', 'rate_limits_inside', 'bomb'] as const),
  ]
  for (const name of breaks) {
    test(`of which the first has ${name}: the second answers, and the first is paused`, async () => {
      await using nodes = await openPair(chain)
      nodes.node.break(name, { methods: [first.method], ...(name === 'bomb' && { bytes: 2 ** 24 }) })
      const hash = await nodes.rpc.read([first], readFirst)
      expect(hash).toBe(
        await chain.call('eth_getBlockByNumber', '0x1', false).then(block => (block as { hash: string }).hash),
      )
      expect(nodes.rpc.health()).toMatchObject([
        { name: '31337/1', state: 'paused', consecutiveFaults: 1 },
        { state: 'healthy' },
      ])
      const before = asked(nodes.node, first.method)
      await nodes.rpc.batch([first])
      expect(asked(nodes.node, first.method)).toBe(before)
    })
  }

  for (const name of ['drips', 'silent'] as const) {
    test(`of which the first has ${name}: the answer takes half of the deadline, and the next one no time`, async () => {
      await using nodes = await openPair(chain)
      nodes.node.break(name)
      const start = performance.now()
      await nodes.rpc.batch([first], { timeoutMs: 2_000 })
      const found = performance.now()
      expect(found - start).toBeWithin(950, 1_900)
      await nodes.rpc.batch([first], { timeoutMs: 2_000 })
      expect(performance.now() - found).toBeLessThan(900)
    })

    test(`of which the first has ${name} from the start: the second answers without a wait`, async () => {
      await using nodes = await openNodes(chain, { count: 2 })
      nodes.node.break(name)
      const start = performance.now()
      await nodes.rpc.batch([first], { timeoutMs: 10_000 })
      // A node that had answered before would be awaited for half of the deadline.
      expect(performance.now() - start).toBeLessThan(4_000)
    })
  }

  test('of which one returns inconsistent data: it counts as a fault', async () => {
    await using nodes = await openPair(chain)
    nodes.node.break('lies_about_receipt', { how: 'block' })
    // The receipt names another block than its logs.
    expect(await nodes.rpc.read([receipt], readStatus)).toBe('success')
    expect(nodes.rpc.health()).toMatchObject([{ state: 'paused', lastFault: 'garbage' }, { state: 'healthy' }])
  })

  test('of which one returns a block with another hash than requested: the other answers', async () => {
    await using nodes = await openPair(chain)
    const hash = await nodes.rpc.read([first], readFirst)
    nodes.node.break('lies_about_block')
    const byHash: RpcCall = { method: 'eth_getBlockByHash', params: [hash, false] }
    expect((await nodes.rpc.read([byHash], ([answer]) => readHeader(resultOf(answer), { hash }))).hash).toBe(hash)
    expect(nodes.rpc.health()[0]).toMatchObject({ state: 'paused', lastFault: 'garbage' })
  })

  test('of which one serves another chain: it gets no other request', async () => {
    await using nodes = await openNodes(chain, { count: 2 })
    nodes.node.break('lies_about_chain_id')
    for (let i = 0; i < 5; i++) {
      await nodes.rpc.batch([first])
      nodes.rested()
    }
    expect(asked(nodes.node, first.method)).toBe(0)
    await until(() => nodes.rpc.health()[0]?.lastFault === 'wrong_chain')
  })

  test('are asked for their chain id after a fault, before any other request', async () => {
    await using nodes = await openNodes(chain)
    await nodes.rpc.batch([first])
    nodes.node.break('fails', { times: 1 })
    expect(await nodes.rpc.batch([first]).catch(fault)).toBe('unreachable')
    nodes.node.break('lies_about_chain_id')
    nodes.rested()
    const before = asked(nodes.node, first.method)
    expect(await nodes.rpc.batch([first]).catch(fault)).toBe('wrong_chain')
    expect(asked(nodes.node, first.method)).toBe(before)
    nodes.node.mend()
    nodes.rested()
    expect(await nodes.rpc.batch([first])).toHaveLength(1)
  })

  test('of which one is 100 blocks behind: it is asked last until it has caught up', async () => {
    await using nodes = await openNodes(chain, { count: 2 })
    nodes.node.break('lags', { blocks: 100 })
    await nodes.rpc.batch([first])
    await until(() => nodes.rpc.health().every(({ head }) => head !== null))
    expect(nodes.rpc.health()).toMatchObject([
      { state: 'behind', lagBlocks: 100 },
      { state: 'healthy', lagBlocks: 0 },
    ])
    const before = asked(nodes.node, first.method)
    await nodes.rpc.batch([first])
    expect(asked(nodes.node, first.method)).toBe(before)
    nodes.node.mend()
    nodes.rested()
    await nodes.rpc.batch([first])
    await until(() => nodes.rpc.health()[0]?.state === 'healthy')
  })

  test('of which one does not have a block: the other answers, and it is no fault', async () => {
    await using nodes = await openPair(chain)
    nodes.node.break('lags', { at: 0, blocks: 0, methods: [first.method] })
    expect(await nodes.rpc.read([first], readFirst)).toStartWith('0x')
    expect(nodes.rpc.health()[0]).toMatchObject({ consecutiveFaults: 0 })
  })
})

test('a slow probe of one node does not make the others be probed more often', async () => {
  await using nodes = await openNodes(chain, { count: 2 })
  nodes.node.break('silent')
  for (let i = 0; i < 20; i++) await nodes.rpc.batch([first])
  expect(asked(nodes.other, 'eth_chainId')).toBe(1)
})

test('one of three nodes that reports a head far ahead does not make the other two count as behind', async () => {
  await using nodes = await openNodes(chain, { count: 3 })
  nodes.node.break('lies_about_head', { by: 1_000 })
  await nodes.rpc.batch([first])
  await until(() => nodes.rpc.health().every(({ head }) => head !== null))
  expect(nodes.rpc.health().map(({ lagBlocks }) => lagBlocks)).toEqual([0, 0, 0])
})

describe('a node that faults', () => {
  test('is paused longer each time, from half a second to half a minute', async () => {
    await using nodes = await openNodes(chain)
    await nodes.rpc.batch([first])
    nodes.node.break('fails')
    const pauses: number[] = []
    for (let i = 0; i < 10; i++) {
      await nodes.rpc.batch([first]).catch(fault)
      pauses.push((nodes.rpc.health()[0]?.pausedUntil?.getTime() ?? 0) - nodes.clock.now().getTime())
      nodes.rested()
    }
    for (const [at, pause] of pauses.entries()) {
      const whole = Math.min(30_000, 500 * 2 ** at)
      expect(pause).toBeWithin(whole / 2, whole + 1)
    }
  })

  test('has one fault when many requests fail together', async () => {
    await using nodes = await openNodes(chain)
    await nodes.rpc.batch([first])
    nodes.node.break('fails')
    await Promise.all(Array.from({ length: 20 }, () => nodes.rpc.batch([first]).catch(fault)))
    expect(nodes.rpc.health()).toMatchObject([{ consecutiveFaults: 1 }])
  })

  for (const [retryAfter, pauseMs] of [
    ['120', 120_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['99999999', 600_000],
  ] as const) {
    test(`with Retry-After ${retryAfter} is paused for ${pauseMs} ms`, async () => {
      await using nodes = await openNodes(chain)
      await nodes.rpc.batch([first])
      nodes.node.break('rate_limits', { retryAfter })
      await nodes.rpc.batch([first]).catch(fault)
      nodes.node.mend()
      nodes.clock.advance(pauseMs - 1)
      expect(await nodes.rpc.batch([first]).catch(fault)).toBe('rate_limited')
      nodes.clock.advance(1)
      expect(await nodes.rpc.batch([first])).toHaveLength(1)
    })
  }

  test('is logged once when it fails and once when it recovers', async () => {
    await using nodes = await openNodes(chain)
    await nodes.rpc.batch([first])
    nodes.node.break('fails')
    for (let i = 0; i < 3; i++) {
      await nodes.rpc.batch([first]).catch(fault)
      nodes.rested()
    }
    nodes.node.mend()
    await nodes.rpc.batch([first])
    expect(nodes.logged().match(/RPC node failed, retrying later/g)).toHaveLength(1)
    expect(nodes.logged().match(/RPC node recovered/g)).toHaveLength(1)
  })

  test('has no fault by an answer that is too large from every node', async () => {
    await using nodes = await openNodes(chain, { count: 2 })
    await nodes.rpc.batch([first])
    await until(() => nodes.rpc.health().every(({ state }) => state === 'healthy'))
    expect(await nodes.rpc.batch([first], { maxBytes: 100 }).catch(fault)).toBe('too_large')
    expect(nodes.rpc.health().map(({ state }) => state)).toEqual(['healthy', 'healthy'])
  })
})

describe('agreement', () => {
  const lies: readonly [fault: keyof Faults, knobs: object][] = [
    ['lies_about_receipt', { how: 'status' }],
    ['lies_about_receipt', { how: 'missing' }],
    ['lags', { blocks: 200 }],
  ]
  for (const [name, knobs] of lies) {
    test(`is not reached by two nodes of which one has ${name} ${JSON.stringify(knobs)}`, async () => {
      await using nodes = await openNodes(chain, { count: 2 })
      nodes.node.break(name, { ...knobs, methods: [receipt.method] })
      expect((await nodes.rpc.agreed([receipt], readStatus)).outcome).toBe('disagreed')
    })

    test(`is reached by two of three nodes when the third has ${name} ${JSON.stringify(knobs)}`, async () => {
      await using nodes = await openNodes(chain, { count: 3 })
      nodes.node.break(name, { ...knobs, methods: [receipt.method] })
      const agreement = await nodes.rpc.agreed([receipt], readStatus)
      expect(agreement).toEqual({ outcome: 'agreed', value: 'success', nodes: expect.any(Array) })
      if (agreement.outcome === 'agreed') expect(agreement.nodes).not.toContain('31337/1')
    })
  }

  const wrongLogs: readonly [fault: keyof Faults, knobs: object][] = [
    ['lies_about_log', { how: 'amount' }],
    ['lies_about_log', { how: 'block' }],
    ['truncates_logs', { keep: 0 }],
  ]
  for (const [name, knobs] of wrongLogs) {
    test(`on logs is not reached while one of two nodes has ${name} ${JSON.stringify(knobs)}`, async () => {
      await using nodes = await openNodes(chain, { count: 2 })
      nodes.node.break(name, knobs)
      const logs: RpcCall = { method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: '0x5' }] }
      const pick = ([answer]: readonly RpcAnswer[]) =>
        readLogs(resultOf(answer)).map(({ transactionHash, blockHash, data }) => ({ transactionHash, blockHash, data }))
      expect((await nodes.rpc.agreed([logs], pick)).outcome).toBe('disagreed')
      nodes.node.mend()
      expect(await nodes.rpc.agreed([logs], pick)).toMatchObject({
        outcome: 'agreed',
        value: [{ transactionHash: paid }],
      })
    })
  }

  test('asks two different nodes, once each', async () => {
    for (let round = 0; round < 5; round++) {
      await using nodes = await openNodes(chain, { count: 2 })
      await nodes.rpc.agreed([receipt], readStatus)
      expect(nodes.nodes.map(node => asked(node, receipt.method))).toEqual([1, 1])
    }
  })

  test('is the answer of the only node', async () => {
    await using nodes = await openNodes(chain)
    expect(await nodes.rpc.agreed([receipt], readStatus)).toEqual({
      outcome: 'agreed',
      value: 'success',
      nodes: ['31337/1'],
    })
  })

  for (const name of ['fails', 'silent', 'garbage', 'lies_about_chain_id'] as const) {
    test(`fails while one of two nodes has ${name}`, async () => {
      await using nodes = await openNodes(chain, { count: 2 })
      nodes.node.break(name)
      expect(await nodes.rpc.agreed([receipt], readStatus, { timeoutMs: 1_000 }).catch(error => error)).toBeInstanceOf(
        RpcFault,
      )
    })
  }

  test('distinguishes the bigint 5 from the number 5', async () => {
    await using nodes = await openNodes(chain, { count: 2 })
    let turn = 0
    expect((await nodes.rpc.agreed([receipt], () => (turn++ ? 5n : 5))).outcome).toBe('disagreed')
  })
})
