import { expect, test } from 'bun:test'
import { type Outage, openOutage } from '../../../src/chain/rpc/outage.ts'
import type { ChainSource } from '../../../src/chain/watch/watched-chain.ts'
import { endWindows } from '../../../src/chain/watch/windows.ts'
import { forFile } from '../../harness/for-file.ts'
import { rewrite } from '../../harness/rewrite.ts'
import type { MadePayment } from '../../http/payments.ts'
import { CONFIRMATIONS, chainHouse } from './chain-house.ts'
import { type Change, logsAs, no, through } from './node.ts'

// Each test leaves its chain an hour ahead of the clock.
const house = await forFile(chainHouse(), { rests: false })

const end = (source = house.source, absence?: Outage) =>
  endWindows(house.api, house.watched.id, { source, absence, aheadMs: 365 * 86_400_000 })

const statesOf = (...payments: readonly MadePayment[]) =>
  Promise.all(payments.map(async each => (await house.stateOf(each))?.state))

/** Opened by the chain's clock. */
const opened = async () => {
  const payment = await house.opened()
  const { timestamp } = await house.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  const end = new Date((Number(timestamp) + 1_800) * 1_000)
  await rewrite(house.sql, 'payments', [payment.actor], { expires_at: end, quote_expires_at: null })
  return payment
}

/** A node that does not tell of transfers to this address. */
const leavingOut = ({ address }: MadePayment): Change => {
  const words = address.slice(2).toLowerCase()
  return logsAs(logs => logs.filter(log => !JSON.stringify(log).includes(words)))
}

/** A node that is a block behind. */
const lagging: Change = async ({ method, params: [place] }, answer) => {
  const before = (await house.head()) - 1
  if (method === 'eth_blockNumber') return `0x${before.toString(16)}`
  if (method !== 'eth_getBlockByNumber') return answer
  if (place !== 'latest') return Number(place) > before ? null : answer
  return house.chain.rpc('eth_getBlockByNumber', `0x${before.toString(16)}`, false)
}

type Asked = { readonly fromBlock?: string; readonly toBlock?: string; readonly topics?: readonly unknown[] }

/** A node that does not take all questions for logs. */
const refusing =
  (isRefused: (asked: Asked) => boolean): Change =>
  ({ method, params: [asked] }, answer) =>
    method === 'eth_getLogs' && isRefused(asked as Asked) ? no : answer

for (const [what, change] of [
  ['the other does not', (_, answer) => answer],
  ['the other, a block behind, does not', lagging],
  ['the other, which looks for one topic at a place, does not', refusing(({ topics }) => Array.isArray(topics?.[2]))],
  [
    'the other, which looks through two blocks at once, does not',
    refusing(({ fromBlock, toBlock }) => Number(toBlock) - Number(fromBlock) > 1),
  ],
] as const satisfies [string, Change][])
  test(`no window ends on what one of two nodes leaves out, when ${what}`, async () => {
    const [told, left, unpaid] = [await opened(), await opened(), await opened()]
    await house.chain.pay(told.address, 1000n)
    await house.chain.pay(left.address, 1000n)
    // Both stand in one block, so that its bloom says nothing.
    await house.chain.mine()
    await using other = await through(house.chain.url, change)
    const look = async (source: ChainSource, alone: ChainSource) => {
      await house.chain.rpc('evm_increaseTime', 3_600)
      await house.chain.mine(2)
      await house.read(alone)
      expect(await statesOf(told, left, unpaid)).toEqual(['processing', 'pending', 'pending'])
      await end(source)
      expect(await statesOf(told, left, unpaid)).toEqual(['processing', 'pending', 'expired'])
    }
    await house.besideAnother(leavingOut(left), look, other.url)
    await house.chain.mine(CONFIRMATIONS)
    await house.read()
    await end()
    expect(await statesOf(told, left, unpaid)).toEqual(['success', 'success', 'expired'])
  })

test('while the second of two nodes is away, windows end by what the first tells', async () => {
  const payment = await opened()
  await house.chain.rpc('evm_increaseTime', 3_600)
  await house.chain.mine()
  const source = house.sourceOf(house.chain.url, 'http://127.0.0.1:9/')
  await house.read(source).catch(() => {})
  await end(source)
  expect(await statesOf(payment)).toEqual(['expired'])
})

test('a second of two nodes that cannot answer for a moment is waited for, and for no more than a while', async () => {
  const [told, left] = [await opened(), await opened()]
  await house.chain.pay(told.address, 1000n)
  await house.chain.pay(left.address, 1000n)
  await house.chain.mine()
  let isLimited = false
  await using other = await through(house.chain.url, ({ method }, answer) =>
    isLimited && ['eth_getLogs', 'eth_getTransactionReceipt'].includes(method) ? no : answer,
  )
  let nowMs = 0
  const absence = openOutage(120_000, () => nowMs)
  const look = async (source: ChainSource, alone: ChainSource) => {
    await house.chain.rpc('evm_increaseTime', 3_600)
    await house.chain.mine(2)
    await house.read(alone)
    isLimited = true
    for (nowMs of [0, 119_000]) {
      await end(source, absence)
      expect(await statesOf(told, left)).toEqual(['processing', 'pending'])
    }
    isLimited = false
    await end(source, absence)
    expect(await statesOf(told, left)).toEqual(['processing', 'pending'])
    // It has answered, and is waited for as long as before.
    isLimited = true
    nowMs = 200_000
    await end(source, absence)
    expect(await statesOf(told, left)).toEqual(['processing', 'pending'])
    nowMs = 320_000
    await end(source, absence)
    expect(await statesOf(told, left)).toEqual(['processing', 'expired'])
  }
  await house.besideAnother(leavingOut(left), look, other.url)
})

for (const [what, isInBooks, outcome] of [
  ['a block that is not there', false, 'expired'],
  ['a block of the chain', true, 'pending'],
] as const)
  test(`a transfer that one of two nodes makes up in ${what} holds back nobody else`, async () => {
    const [said, other] = [await opened(), await opened()]
    await house.chain.rpc('evm_increaseTime', 3_600)
    await house.chain.mine(2)
    const top = await house.chain.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', 'latest', false)
    const topics = [
      word('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'),
      word('0x1'),
      word(said.address),
    ]
    const madeUp = {
      ...{ address: house.chain.token, topics, data: word('0x3e8'), blockNumber: top.number },
      ...{
        blockHash: isInBooks ? top.hash : word('0xb10c'),
        transactionHash: word('0x7a'),
        transactionIndex: '0x0',
        logIndex: '0x9',
      },
    }
    let lies = false
    const making: Change = ({ method }, answer) =>
      lies && method === 'eth_getLogs' ? [...(answer as object[]), madeUp] : answer
    await house.besideAnother(making, async source => {
      await house.read(source)
      lies = true
      await end(source)
    })
    expect(await statesOf(said, other)).toEqual([outcome, 'expired'])
  })

const word = (hex: string): string => `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`
