import { expect, test } from 'bun:test'
import { type Outage, openOutage } from '../../../src/chain/rpc/outage.ts'
import type { ChainSource } from '../../../src/chain/watch/watched-chain.ts'
import { endWindows } from '../../../src/chain/watch/windows.ts'
import { forFile } from '../../harness/for-file.ts'
import { rewrite } from '../../harness/rewrite.ts'
import type { MadePayment } from '../../http/payments.ts'
import { CONFIRMATIONS, openChainFixture } from './chain-fixture.ts'
import { type AnswerChange, changedNode, logsAs, refusal } from './test-node.ts'

// Each test leaves its chain an hour ahead of the clock.
const fixture = await forFile(openChainFixture(), { rests: false })

const end = (source = fixture.source, outage?: Outage) =>
  endWindows(fixture.api, fixture.watched.id, { source, outage, aheadMs: 365 * 86_400_000 })

const statesOf = (...payments: readonly MadePayment[]) =>
  Promise.all(payments.map(async each => (await fixture.stateOf(each))?.state))

/** A payment opened by the chain's clock. */
const opened = async () => {
  const payment = await fixture.openPayment()
  const { timestamp } = await fixture.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  const end = new Date((Number(timestamp) + 1_800) * 1_000)
  await rewrite(fixture.sql, 'payments', [payment.actor], { expires_at: end, quote_expires_at: null })
  return payment
}

/** A node that leaves out transfers to this address. */
const leavingOut = ({ address }: MadePayment): AnswerChange => {
  const words = address.slice(2).toLowerCase()
  return logsAs(logs => logs.filter(log => !JSON.stringify(log).includes(words)))
}

/** A node that is a block behind. */
const lagging: AnswerChange = async ({ method, params: [place] }, answer) => {
  const before = (await fixture.head()) - 1
  if (method === 'eth_blockNumber') return `0x${before.toString(16)}`
  if (method !== 'eth_getBlockByNumber') return answer
  if (place !== 'latest') return Number(place) > before ? null : answer
  return fixture.chain.rpc('eth_getBlockByNumber', `0x${before.toString(16)}`, false)
}

type Asked = { readonly fromBlock?: string; readonly toBlock?: string; readonly topics?: readonly unknown[] }

/** A node that refuses some filters of logs. */
const refusing =
  (isRefused: (asked: Asked) => boolean): AnswerChange =>
  ({ method, params: [asked] }, answer) =>
    method === 'eth_getLogs' && isRefused(asked as Asked) ? refusal : answer

for (const [what, change] of [
  ['the other does not', (_, answer) => answer],
  ['the other, one block behind, does not', lagging],
  ['the other, which accepts one topic per position, does not', refusing(({ topics }) => Array.isArray(topics?.[2]))],
  [
    'the other, which accepts ranges of two blocks, does not',
    refusing(({ fromBlock, toBlock }) => Number(toBlock) - Number(fromBlock) > 1),
  ],
] as const satisfies [string, AnswerChange][])
  test(`no window ends while one of two nodes leaves a transfer out and ${what}`, async () => {
    const [reported, left, unpaid] = [await opened(), await opened(), await opened()]
    await fixture.chain.pay(reported.address, 1000n)
    await fixture.chain.pay(left.address, 1000n)
    // Both transfers are in one block, so that its bloom does not help.
    await fixture.chain.mine()
    await using other = await changedNode(fixture.chain.url, change)
    const check = async (source: ChainSource, alone: ChainSource) => {
      await fixture.chain.rpc('evm_increaseTime', 3_600)
      await fixture.chain.mine(2)
      await fixture.read(alone)
      expect(await statesOf(reported, left, unpaid)).toEqual(['processing', 'pending', 'pending'])
      await end(source)
      expect(await statesOf(reported, left, unpaid)).toEqual(['processing', 'pending', 'expired'])
    }
    await fixture.withTwoNodes(leavingOut(left), check, other.url)
    await fixture.chain.mine(CONFIRMATIONS)
    await fixture.read()
    await end()
    expect(await statesOf(reported, left, unpaid)).toEqual(['success', 'success', 'expired'])
  })

test('while the second of two nodes is down for long, windows end by the first', async () => {
  const payment = await opened()
  await fixture.chain.rpc('evm_increaseTime', 3_600)
  await fixture.chain.mine()
  const source = fixture.sourceOf(fixture.chain.url, 'http://127.0.0.1:9/')
  await fixture.read(source).catch(() => {})
  await end(source)
  expect(await statesOf(payment)).toEqual(['expired'])
})

test('a short outage of the second of two nodes is waited for', async () => {
  const [reported, left] = [await opened(), await opened()]
  await fixture.chain.pay(reported.address, 1000n)
  await fixture.chain.pay(left.address, 1000n)
  await fixture.chain.mine()
  let isLimited = false
  await using other = await changedNode(fixture.chain.url, ({ method }, answer) =>
    isLimited && ['eth_getLogs', 'eth_getTransactionReceipt'].includes(method) ? refusal : answer,
  )
  let nowMs = 0
  const outage = openOutage(120_000, () => nowMs)
  const check = async (source: ChainSource, alone: ChainSource) => {
    await fixture.chain.rpc('evm_increaseTime', 3_600)
    await fixture.chain.mine(2)
    await fixture.read(alone)
    isLimited = true
    for (nowMs of [0, 119_000]) {
      await end(source, outage)
      expect(await statesOf(reported, left)).toEqual(['processing', 'pending'])
    }
    isLimited = false
    await end(source, outage)
    expect(await statesOf(reported, left)).toEqual(['processing', 'pending'])
    // It has answered, so the next outage is waited for again.
    isLimited = true
    nowMs = 200_000
    await end(source, outage)
    expect(await statesOf(reported, left)).toEqual(['processing', 'pending'])
    nowMs = 320_000
    await end(source, outage)
    expect(await statesOf(reported, left)).toEqual(['processing', 'expired'])
  }
  await fixture.withTwoNodes(leavingOut(left), check, other.url)
})

for (const [what, isRecorded, outcome] of [
  ['an invented block', false, 'expired'],
  ['a block of the chain', true, 'pending'],
] as const)
  test(`a transfer that one of two nodes invents in ${what} does not delay other payments`, async () => {
    const [claimed, other] = [await opened(), await opened()]
    await fixture.chain.rpc('evm_increaseTime', 3_600)
    await fixture.chain.mine(2)
    const top = await fixture.chain.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', 'latest', false)
    const topics = [
      word('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'),
      word('0x1'),
      word(claimed.address),
    ]
    const invented = {
      ...{ address: fixture.chain.token, topics, data: word('0x3e8'), blockNumber: top.number },
      ...{
        blockHash: isRecorded ? top.hash : word('0xb10c'),
        transactionHash: word('0x7a'),
        transactionIndex: '0x0',
        logIndex: '0x9',
      },
    }
    let invents = false
    const inventing: AnswerChange = ({ method }, answer) =>
      invents && method === 'eth_getLogs' ? [...(answer as object[]), invented] : answer
    await fixture.withTwoNodes(inventing, async source => {
      await fixture.read(source)
      invents = true
      await end(source)
    })
    expect(await statesOf(claimed, other)).toEqual([outcome, 'expired'])
  })

const word = (hex: string): string => `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`
