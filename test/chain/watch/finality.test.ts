import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { NoFinality } from '../../../src/chain/rpc/finality.ts'
import { openRpc } from '../../../src/chain/rpc/open.ts'
import { findCursor } from '../../../src/chain/watch/chain-state.ts'
import { finalizeNext } from '../../../src/chain/watch/finalize.ts'
import { readNext } from '../../../src/chain/watch/read.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { openSource } from '../../../src/chain/watch/source.ts'
import { watchChains } from '../../../src/chain/watch/watch.ts'
import type { ChainSource, WatchedChain } from '../../../src/chain/watch/watched-chain.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { insertMerchant } from '../../access/keys.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { happen, type MadePayment, makePayment } from '../../http/payments.ts'
import { payments } from '../../machines/payment-cases.ts'
import { issueAddress } from './ledger.ts'
import { type AnswerChange, changedNode, refusal, type TestChain, testChain } from './test-node.ts'

let server: ApiServer
let chain: TestChain
let merchantId: string
let watched: WatchedChain

beforeAll(async () => {
  server = await apiServer({ routes: [] })
  // Blocks are final with two more blocks on them.
  chain = await testChain(['--slots-in-an-epoch', '1'])
  merchantId = await insertMerchant(server.sql)
  watched = { id: 31337, tokens: [chain.token], confirmations: 75, hasFinalizedTag: true }
  await chain.mine(5)
  await read()
})
afterAll(async () => {
  expect(await audit(server.sql, kinds)).toEqual([])
  await chain[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})
afterEach(async () => {
  await chain.mine(3)
  await read()
})

const sourceOf = (urls: readonly string[], finalForMs = 0): ChainSource =>
  openSource(openRpc({ chainId: watched.id, urls }, server.api), watched.tokens, { finalForMs })

const read = async (source = sourceOf([chain.url])) => {
  while ((await readNext(server.sql, watched, source)) !== 'idle');
  await finalizeNext(server.sql, watched, source)
  while ((await settlePayments(server.api)) > 0);
}

const readThrough = async (change: AnswerChange, others: readonly string[] = []) => {
  await using node = await changedNode(chain.url, change)
  await read(sourceOf([...others, node.url]))
}

/** A payment whose transfer is in the head block. */
const paid = async (): Promise<MadePayment> => {
  const payment = await makePayment(server.api, { merchantId, livemode: false }, '')
  const pick = { address: payment.address, tokenAddress: chain.token }
  await happen(server.api, payment.actor, { type: 'asset_picked', ...payments.events.pick, ...pick })
  await issueAddress(server.sql, payment)
  await chain.pay(payment.address, 1000n)
  await chain.mine()
  return payment
}

const stateOf = async ({ actor }: MadePayment) =>
  (await findPayment(server.sql, { id: actor, merchantId, livemode: false }))?.state

const saying =
  (number: (truth: number) => number | null): AnswerChange =>
  ({ params: [tag] }, answer) => {
    if (tag !== 'finalized') return answer
    const truth = answer as { number: string }
    const said = number(Number(truth.number))
    return said === null ? null : { ...truth, number: `0x${said.toString(16)}` }
  }

test('a transfer is final with the finalized tag of its block, and not one block earlier', async () => {
  const payment = await paid()
  await read()
  expect(await stateOf(payment)).toBe('processing')
  await chain.mine()
  await read()
  expect(await stateOf(payment)).toBe('processing')
  await chain.mine()
  await read()
  expect(await stateOf(payment)).toBe('success')
  const cursor = await findCursor(server.sql, watched.id)
  expect(cursor?.finalNumber).toBe(Number(cursor?.number) - 2)
})

test('the lower finalized block of two nodes counts, whichever is asked first', async () => {
  const payment = await paid()
  await readThrough(
    saying(truth => truth + 2),
    [chain.url],
  )
  expect(await stateOf(payment)).toBe('processing')
  await chain.mine(2)
  await readThrough(
    saying(truth => truth - 1),
    [chain.url],
  )
  expect(await stateOf(payment)).toBe('processing')
  await readThrough(
    saying(truth => truth + 9),
    [chain.url],
  )
  expect(await stateOf(payment)).toBe('success')
})

test('a block that has not been read is not final', async () => {
  await readThrough(saying(truth => truth + 1_000))
  const cursor = await findCursor(server.sql, watched.id)
  expect(cursor?.finalNumber).toBe(cursor?.number)
})

test.each<[string, AnswerChange]>([
  ['refuses the tag', ({ params: [tag] }, answer) => (tag === 'finalized' ? refusal : answer)],
  ['has no block for it', saying(() => null)],
])('a node that %s makes nothing final, and what it has is read all the same', async (_, change) => {
  const payment = await paid()
  await chain.mine(5)
  await expect(readThrough(change)).rejects.toBeInstanceOf(NoFinality)
  while ((await settlePayments(server.api)) > 0);
  expect(await stateOf(payment)).toBe('processing')
})

test('while one of two nodes does not answer, nothing becomes final', async () => {
  const payment = await paid()
  await chain.mine(5)
  const away = 'http://127.0.0.1:9/'
  await expect(read(sourceOf([chain.url, away]))).rejects.toThrow('unreachable')
  expect(await stateOf(payment)).not.toBe('success')
})

test('the finalized block is cached for a while', async () => {
  let asked = 0
  await using node = await changedNode(chain.url, ({ params: [tag] }, answer) => {
    if (tag === 'finalized') asked++
    return answer
  })
  const source = sourceOf([node.url], 60_000)
  for (let polls = 0; polls < 5; polls++) {
    await chain.mine()
    await read(source)
  }
  expect(asked).toBe(1)
})

test('a chain without a finalized block is reported as degraded, and still read', async () => {
  await using node = await changedNode(chain.url, ({ params: [tag] }, answer) =>
    tag === 'finalized' ? refusal : answer,
  )
  const watch = watchChains(server.api, {
    chains: [{ ...watched, pollMs: 10, source: sourceOf([node.url]) }],
    share: () => ({ position: 0, count: 1 }),
  })
  try {
    await until(() => watch.troubles().get(watched.id) === 'its nodes do not report a final block')
    for (let blocks = 0; blocks < 12; blocks++) {
      const { number } = await chain.mine()
      await until(async () => (await findCursor(server.sql, watched.id))?.number === number, { timeoutMs: 3_000 })
    }
    expect(watch.troubles().size).toBe(1)
  } finally {
    await watch.stop()
  }
})
