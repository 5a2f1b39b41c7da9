import { expect, test } from 'bun:test'
import { type Outage, openOutage } from '../../../src/chain/rpc/outage.ts'
import { checkNativeBalances } from '../../../src/chain/watch/native/check-balances.ts'
import { endWindows } from '../../../src/chain/watch/windows.ts'
import { forFile } from '../../harness/for-file.ts'
import { rewrite } from '../../harness/rewrite.ts'
import type { MadePayment } from '../../http/payments.ts'
import { openNativeFixture } from './native-fixture.ts'
import { type AnswerChange, changedNode, refusal } from './test-node.ts'

const fixture = await forFile(openNativeFixture())

type Block = Readonly<Record<'number' | 'timestamp', string>>

const state = async (payment: MadePayment) => (await fixture.stateOf(payment))?.state

/** A payment whose window ends ten minutes after the last block, by the chain's clock. */
const opened = async () => {
  const payment = await fixture.openPayment()
  const { timestamp } = await fixture.chain.rpc<Block>('eth_getBlockByNumber', 'latest', false)
  const end = new Date((Number(timestamp) + 600) * 1_000)
  await rewrite(fixture.sql, 'payments', [payment.actor], { expires_at: end, quote_expires_at: end })
  return payment
}

/** Uses two nodes, of which the one that is read changes its answers. */
const withTwo = async (
  change: AnswerChange,
  other: AnswerChange,
  work: (one: string, both: readonly string[]) => Promise<void>,
) => {
  await using reader = await changedNode(fixture.chain.url, change)
  await using second = await changedNode(fixture.chain.url, other)
  await work(reader.url, [reader.url, second.url])
}

const checkAndEnd = async (payment: MadePayment, urls: readonly string[], outage?: Outage) => {
  const source = fixture.sourceOf(...urls)
  const { sql, api, watched } = fixture
  const checking = checkNativeBalances(sql, watched.id, source.native, [payment.address.toLowerCase()], {
    recordAll: true,
    outage,
  })
  await checking.catch(() => {})
  await fixture.settle()
  await endWindows(api, watched.id, { source, outage, aheadMs: 365 * 86_400_000 })
}

const unchanged: AnswerChange = (_, answer) => answer

test('a block time in the future from one of two nodes ends no window of native currency', async () => {
  const payment = await opened()
  await fixture.chain.mine()
  const last = await fixture.head()
  const future: AnswerChange = ({ method }, answer) => {
    if (method !== 'eth_getBlockByNumber' || !answer) return answer
    const block = answer as Block
    if (Number(block.number) !== last) return answer
    return { ...block, timestamp: `0x${(Number(block.timestamp) + 7_200).toString(16)}` }
  }
  await withTwo(future, unchanged, async (reader, both) => {
    await fixture.read(fixture.sourceOf(reader))
    await checkAndEnd(payment, both)
    expect(await state(payment)).toBe('pending')
  })
  // In time by the block time of both nodes.
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.read()
  await fixture.check([payment])
  expect(await state(payment)).toBe('processing')
  await fixture.rest()
  expect(await state(payment)).toBe('success')
})

test('a window of native currency waits for a short outage of the second node, and ends during a long one', async () => {
  const payment = await opened()
  await fixture.sendInternally(payment.address, 1000n)
  await fixture.chain.mine()
  await fixture.chain.rpc('evm_increaseTime', 3_600)
  await fixture.chain.mine(2)
  const hiding: AnswerChange = ({ method }, answer) => {
    if (method === 'eth_call') return `0x${'0'.repeat(64)}`
    return method === 'eth_getBalance' ? '0x0' : answer
  }
  let isLimited = true
  const limited: AnswerChange = ({ method }, answer) =>
    isLimited && (method === 'eth_call' || method === 'eth_getBalance') ? refusal : answer
  let nowMs = 0
  const outage = openOutage(120_000, () => nowMs)
  await withTwo(hiding, limited, async (reader, both) => {
    await fixture.read(fixture.sourceOf(reader))
    for (nowMs of [0, 119_000]) {
      await checkAndEnd(payment, both, outage)
      expect(await state(payment)).toBe('pending')
    }
    isLimited = false
    await checkAndEnd(payment, both, outage)
    expect(await state(payment)).toBe('pending')
    // It has answered, so the next outage is waited for again.
    isLimited = true
    nowMs = 200_000
    await fixture.chain.mine()
    await fixture.read(fixture.sourceOf(reader))
    await checkAndEnd(payment, both, outage)
    expect(await state(payment)).toBe('pending')
    nowMs = 320_000
    await checkAndEnd(payment, both, outage)
    expect(await state(payment)).toBe('expired')
  })
})
