import { expect, test } from 'bun:test'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { forFile } from '../../harness/for-file.ts'
import { readableLog } from '../../harness/lines.ts'
import { until } from '../../harness/until.ts'
import { openChainFixture } from './chain-fixture.ts'
import { type AnswerChange, changedNode, type NodeCall, refusal } from './test-node.ts'

const fixture = await forFile(openChainFixture())

/** A server that watches the chain by one node and reports a cursor that does not move for a fifth of a second. */
const watched = async (change: AnswerChange, more: { readonly blockMs?: number } = {}) => {
  let heads = 0
  const counted = (call: NodeCall, answer: unknown) => {
    if (call.method === 'eth_blockNumber') heads++
    return change(call, answer)
  }
  const node = await changedNode(fixture.chain.url, counted)
  const { log, lines } = readableLog()
  const watch = watchChains(
    { ...fixture.api, log },
    {
      chains: [{ ...fixture.watched, ...more, pollMs: 10, source: fixture.sourceOf(node.url) }],
      share: () => ({ position: 0, count: 1 }),
      maxIdleMs: 200,
    },
  )
  return {
    trouble: () => watch.troubles().get(fixture.watched.id),
    heads: () => heads,
    logged: () =>
      lines().flatMap(({ msg, trouble }) => (msg === 'chain degraded' && typeof trouble === 'string' ? [trouble] : [])),
    /** Waits for several times as many turns as that takes. */
    manyTurns: async () => {
      const until100 = heads + 100
      await until(() => heads > until100)
    },
    [Symbol.asyncDispose]: async () => {
      await watch.stop()
      await node[Symbol.asyncDispose]()
    },
  }
}

const incomplete = 'its nodes return its next block incompletely or differently: add another RPC URL'
const behind = 'its nodes are behind what was read before: check them, or add another RPC URL'
const noBlock = 'its nodes have had no new block for a long time: check them, or add another RPC URL'

test('a node that returns neither the logs of a block nor its receipts is reported once, until it does', async () => {
  const payment = await fixture.openPayment()
  let refuses = true
  await using watch = await watched(({ method, params: [asked] }, answer) => {
    // Like a busy block, its bloom announces logs of the other token too.
    if (method === 'eth_getBlockByNumber' && answer) return { ...answer, logsBloom: `0x${'f'.repeat(512)}` }
    const isOfBlock = method === 'eth_getTransactionReceipt' || 'blockHash' in Object(asked)
    return refuses && isOfBlock ? refusal : answer
  })
  await fixture.chain.pay(payment.address, 1000n)
  await fixture.chain.mine()
  await until(() => watch.trouble() === incomplete)
  await watch.manyTurns()
  expect(watch.logged()).toEqual([incomplete])
  refuses = false
  await until(() => watch.trouble() === undefined)
  await until(async () => (await fixture.stateOf(payment))?.state === 'processing')
})

test('a node whose head is below the cursor is reported until it catches up', async () => {
  await fixture.chain.mine(5)
  await fixture.read()
  const at = (await fixture.head()) - 3
  let lags = true
  await using watch = await watched(({ method }, answer) => {
    if (!lags) return answer
    if (method === 'eth_blockNumber') return `0x${at.toString(16)}`
    return method === 'eth_getBlockByNumber' && Number(Object(answer).number) > at ? null : answer
  })
  await until(() => watch.trouble() === behind)
  await watch.manyTurns()
  expect(watch.logged()).toEqual([behind])
  lags = false
  await fixture.chain.mine()
  await until(() => watch.trouble() === undefined)
})

test('a chain with regular blocks is reported while it has no new block', async () => {
  await using watch = await watched((_, answer) => answer, { blockMs: 1 })
  await until(() => watch.trouble() === noBlock)
  await fixture.chain.mine()
  await until(() => watch.trouble() === undefined)
  expect(watch.logged()).toEqual([noBlock])
})

test('a slow chain is not reported before many of its blocks are overdue', async () => {
  await using watch = await watched((_, answer) => answer, { blockMs: 60_000 })
  await watch.manyTurns()
  expect(watch.logged()).toEqual([])
})

test('a chain that mines on demand is not reported while it has no new block', async () => {
  await using watch = await watched((_, answer) => answer)
  for (let blocks = 0; blocks < 3; blocks++) {
    await watch.manyTurns()
    const { number } = await fixture.chain.mine()
    await until(async () => (await fixture.sql`select from chain_cursors where number = ${number}`).length === 1)
  }
  expect(watch.logged()).toEqual([])
})

test('the time in which a node does not answer does not count as idle', async () => {
  await fixture.chain.mine(5)
  await fixture.read()
  const at = (await fixture.head()) - 3
  let now: 'away' | 'late' | 'here' = 'away'
  await using watch = await watched(({ method }, answer) => {
    if (now === 'away' && method === 'eth_getBlockByNumber') return refusal
    return now === 'late' && method === 'eth_blockNumber' ? `0x${at.toString(16)}` : answer
  })
  await until(() => watch.heads() > 6)
  const refused = 'eth_getBlockByNumber was refused: server error (-32000)'
  expect(watch.trouble()).toBe(refused)
  const before = watch.heads()
  now = 'late'
  // Fewer turns than it takes to be reported.
  await until(() => watch.heads() > before + 3)
  now = 'here'
  await until(() => watch.trouble() === undefined)
  expect(watch.logged().filter(trouble => trouble !== refused)).toEqual([])
})

test('a chain whose blocks are read and never become final is reported', async () => {
  const { watched: chain } = fixture
  let isFrozen = false
  // The node always returns the same finalized block.
  let at = 0
  const node = await changedNode(fixture.chain.url, async ({ method, params: [place] }, answer) => {
    if (method !== 'eth_getBlockByNumber' || place !== 'finalized') return answer
    at = isFrozen ? at : await fixture.head()
    return fixture.chain.rpc('eth_getBlockByNumber', `0x${at.toString(16)}`, false)
  })
  await using _ = node
  const watch = watchChains(fixture.api, {
    chains: [{ ...chain, hasFinalizedTag: true, pollMs: 10, source: fixture.sourceOf(node.url) }],
    share: () => ({ position: 0, count: 1 }),
    maxIdleMs: 200,
  })
  const mined = async (isDone: () => boolean) => {
    await fixture.chain.mine()
    return isDone()
  }
  try {
    await until(() => at > 0)
    isFrozen = true
    const late = 'no block has become final for a long time: check its nodes, or add another RPC URL'
    await until(() => mined(() => watch.troubles().get(chain.id) === late), { everyMs: 50 })
    isFrozen = false
    await until(() => mined(() => watch.troubles().size === 0), { everyMs: 50 })
  } finally {
    await watch.stop()
  }
})
