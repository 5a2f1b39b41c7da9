import { expect, test } from 'bun:test'
import { type Outage, openOutage } from '../../../src/chain/rpc/outage.ts'
import { checkNativeBalances } from '../../../src/chain/watch/coins/look.ts'
import { endWindows } from '../../../src/chain/watch/windows.ts'
import { forFile } from '../../harness/for-file.ts'
import { rewrite } from '../../harness/rewrite.ts'
import type { MadePayment } from '../../http/payments.ts'
import { coinHouse } from './coins-house.ts'
import { type Change, no, through } from './node.ts'

const coins = await forFile(coinHouse())

type Block = Readonly<Record<'number' | 'timestamp', string>>

const state = async (payment: MadePayment) => (await coins.stateOf(payment))?.state

/** Its window ends ten minutes after the last block, by the chain's clock. */
const opened = async () => {
  const payment = await coins.opened()
  const { timestamp } = await coins.chain.rpc<Block>('eth_getBlockByNumber', 'latest', false)
  const end = new Date((Number(timestamp) + 600) * 1_000)
  await rewrite(coins.sql, 'payments', [payment.actor], { expires_at: end, quote_expires_at: end })
  return payment
}

/** Two nodes, of which the one that is read changes some of what the chain answers. */
const withTwo = async (
  change: Change,
  other: Change,
  work: (one: string, both: readonly string[]) => Promise<void>,
) => {
  await using reader = await through(coins.chain.url, change)
  await using second = await through(coins.chain.url, other)
  await work(reader.url, [reader.url, second.url])
}

const lookAndEnd = async (payment: MadePayment, urls: readonly string[], absence?: Outage) => {
  const source = coins.sourceOf(...urls)
  const { sql, api, watched } = coins
  const looking = checkNativeBalances(sql, watched.id, source.coins, [payment.address.toLowerCase()], {
    remember: true,
    absence,
  })
  await looking.catch(() => {})
  await coins.settle()
  await endWindows(api, watched.id, { source, absence, aheadMs: 365 * 86_400_000 })
}

const honest: Change = (_, answer) => answer

test('one of two nodes that dates its last block into the future ends no window in coins', async () => {
  const payment = await opened()
  await coins.chain.mine()
  const last = await coins.head()
  const future: Change = ({ method }, answer) => {
    if (method !== 'eth_getBlockByNumber' || !answer) return answer
    const block = answer as Block
    if (Number(block.number) !== last) return answer
    return { ...block, timestamp: `0x${(Number(block.timestamp) + 7_200).toString(16)}` }
  }
  await withTwo(future, honest, async (reader, both) => {
    await coins.read(coins.sourceOf(reader))
    await lookAndEnd(payment, both)
    expect(await state(payment)).toBe('pending')
  })
  // In time, as both nodes date it.
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine()
  await coins.read()
  await coins.look([payment])
  expect(await state(payment)).toBe('processing')
  await coins.rest()
  expect(await state(payment)).toBe('success')
})

test('a second node that tells no balances for a moment is waited for before a window in coins ends, and no longer', async () => {
  const payment = await opened()
  await coins.sendThrough(payment.address, 1000n)
  await coins.chain.mine()
  await coins.chain.rpc('evm_increaseTime', 3_600)
  await coins.chain.mine(2)
  const hiding: Change = ({ method }, answer) => {
    if (method === 'eth_call') return `0x${'0'.repeat(64)}`
    return method === 'eth_getBalance' ? '0x0' : answer
  }
  let isLimited = true
  const limited: Change = ({ method }, answer) =>
    isLimited && (method === 'eth_call' || method === 'eth_getBalance') ? no : answer
  let nowMs = 0
  const absence = openOutage(120_000, () => nowMs)
  await withTwo(hiding, limited, async (reader, both) => {
    await coins.read(coins.sourceOf(reader))
    for (nowMs of [0, 119_000]) {
      await lookAndEnd(payment, both, absence)
      expect(await state(payment)).toBe('pending')
    }
    isLimited = false
    await lookAndEnd(payment, both, absence)
    expect(await state(payment)).toBe('pending')
    // It has answered, and is waited for as long as before.
    isLimited = true
    nowMs = 200_000
    await coins.chain.mine()
    await coins.read(coins.sourceOf(reader))
    await lookAndEnd(payment, both, absence)
    expect(await state(payment)).toBe('pending')
    nowMs = 320_000
    await lookAndEnd(payment, both, absence)
    expect(await state(payment)).toBe('expired')
  })
})
