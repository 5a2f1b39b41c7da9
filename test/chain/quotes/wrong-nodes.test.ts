import { afterAll, expect, test } from 'bun:test'
import { randomFillSync } from 'node:crypto'
import type { Chain } from '../../../src/chain/chain.ts'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { selectors } from '../../../src/chain/quotes/read-feeds.ts'
import { chainStates } from '../../../src/server/background-services.ts'
import { faultyNode } from '../../harness/faulty-node.ts'
import { readableLog } from '../../harness/lines.ts'
import { type AnswerChange, changedNode, type NodeCall, refusal } from '../watch/test-node.ts'
import { aggregator, chainWith, inMinutes, startOracles } from './oracles.ts'

const oracles = await startOracles()
const { clock, feed, setAnswer, client, followHead } = oracles
// Earlier blocks are too old for prices.
const first = await client.getBlock()
await client.setNextBlockTimestamp({ timestamp: first.timestamp + 3_600n })
await client.mine({ blocks: 1 })
await followHead()
afterAll(() => oracles[Symbol.asyncDispose]())

/** A chain with prices for 10 dollars: ETH at 2,500 dollars and EURC at 1.08. */
const priced = async () => {
  const [eth, eur] = [await feed('ETH / USD', 250_000_000_000n), await feed('EUR / USD', 108_000_000n)]
  const sequencerFeed = await oracles.deploy(aggregator, ['Sequencer', 0])
  await setAnswer(sequencerFeed, 0n, 0n, 7_200n)
  const native = { asset: 'ETH', decimals: 18, feed: eth } as const
  return { eth, eur, chain: chainWith({ id: 31_337, native, currencyFeeds: [eur], sequencerFeed }) }
}

const ALL = { USDC: 10_000_000n, EURC: 9_259_260n, ETH: 4n * 10n ** 15n }
const WITHOUT_ETH = { USDC: ALL.USDC, EURC: ALL.EURC }
const ONLY_PEGGED = { USDC: ALL.USDC }

const open = (chain: Chain, ...urls: readonly string[]) => {
  const { log, lines } = readableLog()
  const chains = connectChains([chain], () => urls, { clock, log, random: bytes => randomFillSync(bytes) })
  const offer = async () => {
    const asked = { amountMinor: 10_00, currency: 'USD', livemode: true, until: inMinutes(clock, 30), assets: null }
    return Object.fromEntries((await chains.quotes.offer(asked)).map(({ asset, amount }) => [asset, amount]))
  }
  return {
    offer,
    /** After the time for which a reading is cached. */
    offerAgain: () => {
      clock.advance(5_000)
      return offer()
    },
    states: () => Object.fromEntries(chains.quotes.feeds().map(({ pair, state }) => [pair, state])),
    ready: () => chainStates(chains)[chain.id],
    logged: () => lines().flatMap(({ msg, pair, reason }) => (pair ? [`${msg}: ${pair} ${reason ?? ''}`.trim()] : [])),
    [Symbol.dispose]: () => chains.close(),
  }
}

const isCallOf = ({ method, params }: NodeCall, to: string, selector: string): boolean =>
  method === 'eth_call' && JSON.stringify(params[0]) === JSON.stringify({ to, data: selector })

const withWord = (answer: unknown, at: number, word: bigint): string => {
  const start = 2 + at * 64
  return `${String(answer).slice(0, start)}${word.toString(16).padStart(64, '0')}${String(answer).slice(start + 64)}`
}

const hex = (number: number | bigint) => `0x${number.toString(16)}`

type WrongAnswer = (of: Awaited<ReturnType<typeof priced>>) => AnswerChange

const priceOf =
  (price: bigint): WrongAnswer =>
  ({ eth }) =>
  (call, answer) =>
    isCallOf(call, eth.address, selectors.latestRoundData) ? withWord(answer, 1, price) : answer

const aMillionTimes = priceOf(250_000_000_000_000_000n)
/** Not so much that it would count as a jump. */
const aLittleMore = priceOf(260_000_000_000n)

const isBlock = (call: NodeCall, answer: unknown): answer is object =>
  call.method === 'eth_getBlockByNumber' && answer !== null

/** A wrong answer of one node, the quotes that are still offered, and the reason for the rejection of the others. */
const wrongAnswers: readonly (readonly [string, WrongAnswer, Readonly<Record<string, bigint>>, string])[] = [
  ['a million times the price', aMillionTimes, WITHOUT_ETH, 'disagreed'],
  [
    'other decimals',
    ({ eth }) =>
      (call, answer) =>
        isCallOf(call, eth.address, selectors.decimals) ? withWord(answer, 0, 2n) : answer,
    WITHOUT_ETH,
    'disagreed',
  ],
  [
    'another pair',
    ({ eth }) =>
      (call, answer) =>
        isCallOf(call, eth.address, selectors.description)
          ? String(answer).replace('455448202f20555344', '425443202f20555344')
          : answer,
    WITHOUT_ETH,
    'disagreed',
  ],
  [
    'an update time a day older',
    ({ eth }) =>
      (call, answer) =>
        isCallOf(call, eth.address, selectors.latestRoundData)
          ? withWord(answer, 3, BigInt(clock.now().getTime()) / 1_000n - 86_400n)
          : answer,
    WITHOUT_ETH,
    'disagreed',
  ],
  [
    'a refusal in place of the price',
    ({ eth }) =>
      (call, answer) =>
        isCallOf(call, eth.address, selectors.latestRoundData) ? refusal : answer,
    WITHOUT_ETH,
    'unreadable',
  ],
  [
    'that the sequencer is down',
    ({ chain }) =>
      (call, answer) =>
        isCallOf(call, String(chain.sequencerFeed), selectors.latestRoundData) ? withWord(answer, 1, 1n) : answer,
    ONLY_PEGGED,
    'disagreed',
  ],
  [
    'blocks with other hashes',
    () => (call, answer) => (isBlock(call, answer) ? { ...answer, hash: `0x${'e'.repeat(64)}` } : answer),
    ONLY_PEGGED,
    'disagreed',
  ],
  [
    'blocks that are ten minutes older',
    () => (call, answer) =>
      isBlock(call, answer) && 'timestamp' in answer
        ? { ...answer, timestamp: hex(Number(answer.timestamp) - 600) }
        : answer,
    ONLY_PEGGED,
    'disagreed',
  ],
  [
    'no block except the first',
    () => (call, answer) => {
      if (!isBlock(call, answer) || call.params[0] === '0x0') return answer
      return call.params[0] === 'latest'
        ? { ...answer, hash: first.hash, number: '0x0', timestamp: hex(first.timestamp) }
        : null
    },
    ONLY_PEGGED,
    'behind',
  ],
]

/** The correct node is slower: the fastest node is asked first. */
const slowNode = () => changedNode(oracles.url, (_, answer) => Bun.sleep(15).then(() => answer))

for (const [name, wrongAnswer, offered, state] of wrongAnswers) {
  test(`one of two nodes returns ${name}: no quote depends on it, in either order`, async () => {
    const priceChain = await priced()
    await using wrongNode = await changedNode(oracles.url, wrongAnswer(priceChain))
    await using correctNode = await slowNode()
    for (const urls of [
      [wrongNode.url, correctNode.url],
      [correctNode.url, wrongNode.url],
    ]) {
      using nodes = open(priceChain.chain, ...urls)
      expect(await nodes.offer()).toEqual(offered)
      expect(nodes.states()).toMatchObject({ 'ETH / USD': state })
      expect(nodes.logged()).toContain(`price rejected: ETH / USD ${state}`)
      expect(nodes.ready()).toBe(`no price of ETH / USD: ${state}`)
    }
  })

  test(`one of three nodes returns ${name}: the quotes of the other two are offered`, async () => {
    const priceChain = await priced()
    await using wrongNode = await changedNode(oracles.url, wrongAnswer(priceChain))
    await using correctNode = await slowNode()
    await using other = await slowNode()
    for (const urls of [
      [wrongNode.url, correctNode.url, other.url],
      [correctNode.url, wrongNode.url, other.url],
    ]) {
      using nodes = open(priceChain.chain, ...urls)
      expect(await nodes.offer()).toEqual(ALL)
      expect(nodes.logged()).toEqual([])
      expect(nodes.ready()).toBe('ok')
    }
  })
}

test('after a wrong answer of one node the correct price is offered immediately, as it is not compared with the wrong one', async () => {
  const on = await priced()
  let isWrong = true
  await using wrongNode = await changedNode(oracles.url, (call, answer) =>
    isWrong ? aMillionTimes(on)(call, answer) : answer,
  )
  using nodes = open(on.chain, wrongNode.url, oracles.url)
  expect(await nodes.offer()).toEqual(WITHOUT_ETH)
  isWrong = false
  expect(await nodes.offerAgain()).toEqual(ALL)
  isWrong = true
  expect(await nodes.offerAgain()).toEqual(WITHOUT_ETH)
  isWrong = false
  // No quote is requested, only the states.
  clock.advance(5_000)
  expect(nodes.states()).toMatchObject({ 'ETH / USD': 'disagreed' })
  await nodes.offer()
  expect(nodes.states()).toMatchObject({ 'ETH / USD': 'accepted' })
  expect(nodes.logged()).toEqual([
    'price rejected: ETH / USD disagreed',
    'price accepted again: ETH / USD',
    'price rejected: ETH / USD disagreed',
    'price accepted again: ETH / USD',
  ])
  await followHead()
})

test('while one of two nodes is a block behind, the price in the block that both have is offered', async () => {
  const { eth, chain } = await priced()
  await using late = await faultyNode(oracles.url)
  late.break('lags', { blocks: 1 })
  await setAnswer(eth.address, 260_000_000_000n)
  for (const urls of [
    [late.url, oracles.url],
    [oracles.url, late.url],
  ]) {
    using nodes = open(chain, ...urls)
    expect(await nodes.offer()).toEqual(ALL)
    expect(nodes.logged()).toEqual([])
  }
})

test('while one of two nodes is down, the last price of both is offered for five minutes', async () => {
  const { eth, chain } = await priced()
  await using second = await faultyNode(oracles.url)
  using nodes = open(chain, oracles.url, second.url)
  expect(await nodes.offer()).toEqual(ALL)
  second.break('fails')
  // The answer of one node alone is not used.
  await setAnswer(eth.address, 260_000_000_000n)
  expect(await nodes.offerAgain()).toEqual(ALL)
  clock.advance(290_000)
  expect(await nodes.offer()).toEqual(ALL)
  clock.advance(10_000)
  expect(await nodes.offer()).toEqual(ONLY_PEGGED)
  expect(nodes.logged()).toContain('price rejected: ETH / USD unreachable')
  second.mend()
  await client.setNextBlockTimestamp({ timestamp: BigInt(clock.now().getTime()) / 1_000n })
  await setAnswer(eth.address, 250_000_000_000n)
  clock.advance(30_000)
  expect(await nodes.offer()).toEqual(ALL)
  await followHead()
})

test('with one of two nodes down since the start there is no price', async () => {
  const { chain } = await priced()
  await using second = await faultyNode(oracles.url)
  second.break('fails')
  using nodes = open(chain, oracles.url, second.url)
  expect(await nodes.offer()).toEqual(ONLY_PEGGED)
  expect(nodes.states()).toEqual({ 'ETH / USD': 'unreachable', 'EUR / USD': 'unreachable' })
})

test('a price that two nodes disagree on is not offered after one of them goes down', async () => {
  const on = await priced()
  let isWrong = false
  await using wrongNode = await changedNode(oracles.url, (call, answer) =>
    isWrong ? aLittleMore(on)(call, answer) : answer,
  )
  await using correctNode = await faultyNode(oracles.url)
  correctNode.break('slow', { ms: 15 })
  using nodes = open(on.chain, wrongNode.url, correctNode.url)
  expect(await nodes.offer()).toEqual(ALL)
  isWrong = true
  expect(await nodes.offerAgain()).toEqual(WITHOUT_ETH)
  correctNode.break('fails')
  expect(await nodes.offerAgain()).toEqual(WITHOUT_ETH)
  await followHead()
})

test('a price that jumped is not offered after one of two nodes goes down', async () => {
  const { eth, chain } = await priced()
  await using second = await faultyNode(oracles.url)
  using nodes = open(chain, oracles.url, second.url)
  expect(await nodes.offer()).toEqual(ALL)
  await setAnswer(eth.address, 125_000_000_000n)
  expect(await nodes.offerAgain()).toEqual(WITHOUT_ETH)
  second.break('fails')
  expect(await nodes.offerAgain()).toEqual(WITHOUT_ETH)
  expect(nodes.states()).toEqual({ 'ETH / USD': 'jumped', 'EUR / USD': 'accepted' })
  await followHead()
})
