import { expect, test } from 'bun:test'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import { forFile } from '../../harness/for-file.ts'
import { readableLog } from '../../harness/lines.ts'
import { until } from '../../harness/until.ts'
import { chainHouse } from './chain-house.ts'
import { type Change, no, type Question, through } from './node.ts'

const on = await forFile(chainHouse())

/** A house that watches the chain by one node, and calls it still after a fifth of a second. */
const watched = async (change: Change, more: { readonly blockMs?: number } = {}) => {
  let heads = 0
  const counted = (question: Question, answer: unknown) => {
    if (question.method === 'eth_blockNumber') heads++
    return change(question, answer)
  }
  const node = await through(on.chain.url, counted)
  const { log, lines } = readableLog()
  const watch = watchChains(
    { ...on.api, log },
    {
      chains: [{ ...on.watched, ...more, pollMs: 10, source: on.sourceOf(node.url) }],
      share: () => ({ position: 0, count: 1 }),
      stillMs: 200,
    },
  )
  return {
    trouble: () => watch.troubles().get(on.watched.id),
    heads: () => heads,
    told: () =>
      lines().flatMap(({ msg, trouble }) => (msg === 'chain degraded' && typeof trouble === 'string' ? [trouble] : [])),
    /** As many as take several times as long as it is called still after. */
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

const notWhole = 'its nodes do not tell its next block whole, or not alike: give it another RPC URL'
const behind = 'its nodes are behind what was read already: look at them, or give it another RPC URL'
const noBlock = 'its nodes have had no new block for long: look at them, or give it another RPC URL'

test('a node that tells neither the logs of a block nor its receipts is trouble told once, until it tells them', async () => {
  const payment = await on.opened()
  let refuses = true
  await using watch = await watched(({ method, params: [asked] }, answer) => {
    // As busy blocks do, it promises logs of the other token too.
    if (method === 'eth_getBlockByNumber' && answer) return { ...answer, logsBloom: `0x${'f'.repeat(512)}` }
    const isOfBlock = method === 'eth_getTransactionReceipt' || 'blockHash' in Object(asked)
    return refuses && isOfBlock ? no : answer
  })
  await on.chain.pay(payment.address, 1000n)
  await on.chain.mine()
  await until(() => watch.trouble() === notWhole)
  await watch.manyTurns()
  expect(watch.told()).toEqual([notWhole])
  refuses = false
  await until(() => watch.trouble() === undefined)
  await until(async () => (await on.stateOf(payment))?.state === 'processing')
})

test('a node whose head is below what was read is trouble, until it comes up', async () => {
  await on.chain.mine(5)
  await on.read()
  const at = (await on.head()) - 3
  let lags = true
  await using watch = await watched(({ method }, answer) => {
    if (!lags) return answer
    if (method === 'eth_blockNumber') return `0x${at.toString(16)}`
    return method === 'eth_getBlockByNumber' && Number(Object(answer).number) > at ? null : answer
  })
  await until(() => watch.trouble() === behind)
  await watch.manyTurns()
  expect(watch.told()).toEqual([behind])
  lags = false
  await on.chain.mine()
  await until(() => watch.trouble() === undefined)
})

test('a chain that has blocks all the time is in trouble when none comes, and no more when one does', async () => {
  await using watch = await watched((_, answer) => answer, { blockMs: 1 })
  await until(() => watch.trouble() === noBlock)
  await on.chain.mine()
  await until(() => watch.trouble() === undefined)
  expect(watch.told()).toEqual([noBlock])
})

test('a slow chain is not called still before many of its blocks should have come', async () => {
  await using watch = await watched((_, answer) => answer, { blockMs: 60_000 })
  await watch.manyTurns()
  expect(watch.told()).toEqual([])
})

test('a chain that has blocks only when there is something to put in is idle without trouble, and read when one comes', async () => {
  await using watch = await watched((_, answer) => answer)
  for (let blocks = 0; blocks < 3; blocks++) {
    await watch.manyTurns()
    const { number } = await on.chain.mine()
    await until(async () => (await on.sql`select from chain_cursors where number = ${number}`).length === 1)
  }
  expect(watch.told()).toEqual([])
})

test('for as long as nothing is answered a chain is not called still, nor at once when something is', async () => {
  await on.chain.mine(5)
  await on.read()
  const at = (await on.head()) - 3
  let now: 'away' | 'late' | 'here' = 'away'
  await using watch = await watched(({ method }, answer) => {
    if (now === 'away' && method === 'eth_getBlockByNumber') return no
    return now === 'late' && method === 'eth_blockNumber' ? `0x${at.toString(16)}` : answer
  })
  await until(() => watch.heads() > 6)
  const refused = 'eth_getBlockByNumber was refused: server error (-32000)'
  expect(watch.trouble()).toBe(refused)
  const before = watch.heads()
  now = 'late'
  // Fewer turns than it takes to be called still.
  await until(() => watch.heads() > before + 3)
  now = 'here'
  await until(() => watch.trouble() === undefined)
  expect(watch.told().filter(trouble => trouble !== refused)).toEqual([])
})

test('blocks that none becomes final of are trouble after a while, although they are read', async () => {
  const { watched: chain } = on
  let isFrozen = false
  // The node that says what is final says the same for ever.
  let at = 0
  const node = await through(on.chain.url, async ({ method, params: [place] }, answer) => {
    if (method !== 'eth_getBlockByNumber' || place !== 'finalized') return answer
    at = isFrozen ? at : await on.head()
    return on.chain.rpc('eth_getBlockByNumber', `0x${at.toString(16)}`, false)
  })
  await using _ = node
  const watch = watchChains(on.api, {
    chains: [{ ...chain, saysFinal: true, pollMs: 10, source: on.sourceOf(node.url) }],
    share: () => ({ position: 0, count: 1 }),
    stillMs: 200,
  })
  const mined = async (isDone: () => boolean) => {
    await on.chain.mine()
    return isDone()
  }
  try {
    await until(() => at > 0)
    isFrozen = true
    const late = 'none of its new blocks has become final for long: look at its nodes, or give it another RPC URL'
    await until(() => mined(() => watch.troubles().get(chain.id) === late), { everyMs: 50 })
    isFrozen = false
    await until(() => mined(() => watch.troubles().size === 0), { everyMs: 50 })
  } finally {
    await watch.stop()
  }
})
