import { afterAll, expect, test } from 'bun:test'
import { toFunctionSelector } from 'viem'
import type { Chain } from '../../../src/chain/chain.ts'
import type { Artifact } from '../../../src/chain/contracts/compile.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { openQuotes, type Quote, type QuoteRequest } from '../../../src/chain/quotes/quotes.ts'
import { selectors } from '../../../src/chain/quotes/read-feeds.ts'
import type { Node, RpcCall } from '../../../src/chain/rpc/rpc.ts'
import testPrice from '../../../src/sandbox/contracts/test-price.json' with { type: 'json' }
import { readableLog } from '../../harness/lines.ts'
import { aggregator, alone, chainWith, inMinutes, recording, startOracles } from './oracles.ts'

const oracles = await startOracles()
const { clock, feed, setAnswer } = oracles
afterAll(() => oracles[Symbol.asyncDispose]())

const tenDollars = (change: Partial<QuoteRequest> = {}): QuoteRequest => ({
  amountMinor: 10_00,
  currency: 'USD',
  livemode: true,
  until: inMinutes(clock, 30),
  assets: null,
  ...change,
})

const tenEuros = (): QuoteRequest => tenDollars({ currency: 'EUR' })

const outside = { clock, log: readableLog().log }

const open = (chain: Chain, batch: Node['batch'] = oracles.batch) => openQuotes([{ chain, rpc: alone(batch) }], outside)

const amounts = (quotes: readonly Quote[]) => Object.fromEntries(quotes.map(({ asset, amount }) => [asset, amount]))

const ethAt = async (answer: bigint) => {
  const eth = await feed('ETH / USD', answer)
  return { eth, chain: chainWith({ native: { asset: 'ETH', decimals: 18, feed: eth } }) }
}

test('the selectors are those of the aggregator', () => {
  for (const [name, selector] of Object.entries(selectors))
    expect(toFunctionSelector(`${name}()`)).toBe(selector as '0x')
})

test('10 dollars are 10 USDC and, at 2,500.12345678, 3,999,802,478,906,128 wei', async () => {
  const { chain } = await ethAt(250_012_345_678n)
  const [usdc, eth, ...more] = await open(chain).offer(tenDollars())
  expect(usdc).toEqual({
    chainId: 1,
    network: 'One',
    asset: 'USDC',
    tokenAddress: `0x${'a'.repeat(40)}`,
    decimals: 6,
    amount: 10_000_000n,
    pegged: true,
    rate: null,
    source: null,
    expiresAt: null,
  })
  expect(eth).toEqual({
    chainId: 1,
    network: 'One',
    asset: 'ETH',
    tokenAddress: null,
    decimals: 18,
    amount: 3_999_802_478_906_128n,
    pegged: false,
    rate: '2500.12345678',
    source: 'chainlink ETH / USD',
    expiresAt: inMinutes(clock, 30),
  })
  // EURC is left out: no feed has its price in dollars.
  expect(more).toEqual([])
})

test('with a EUR / USD feed, amounts in EUR are quoted in USD tokens and native currency, and amounts in USD in EUR tokens', async () => {
  const [eth, eur] = [await feed('ETH / USD', 250_000_000_000n), await feed('EUR / USD', 108_123_456n)]
  const quotes = open(chainWith({ native: { asset: 'ETH', decimals: 18, feed: eth }, currencyFeeds: [eur] }))
  const inEuros = await quotes.offer(tenEuros())
  expect(amounts(inEuros)).toEqual({ USDC: 10_812_346n, EURC: 10_000_000n, ETH: 4_324_938_240_000_000n })
  expect(inEuros.map(({ pegged, source }) => (pegged ? 'par' : source))).toEqual([
    'chainlink EUR / USD',
    'par',
    'chainlink ETH / USD, EUR / USD',
  ])
  expect(amounts(await quotes.offer(tenDollars()))).toEqual({
    USDC: 10_000_000n,
    EURC: 9_248_687n,
    ETH: 4n * 10n ** 15n,
  })
})

test('a quote expires after half an hour or with the window, whichever is first', async () => {
  const { chain } = await ethAt(250_000_000_000n)
  const quotes = open(chain)
  const expiryIn = async (until: Date) => (await quotes.offer(tenDollars({ until }))).at(-1)?.expiresAt
  expect(await expiryIn(inMinutes(clock, 7 * 24 * 60))).toEqual(inMinutes(clock, 30))
  expect(await expiryIn(inMinutes(clock, 5))).toEqual(inMinutes(clock, 5))
  expect(await quotes.offer(tenDollars({ until: clock.now() }))).toEqual([])
})

test('an asset with a rejected price is not offered, and the others are', async () => {
  const { eth, chain } = await ethAt(250_000_000_000n)
  const after = async (answer: bigint, agoS: bigint) => {
    await setAnswer(eth.address, answer, agoS)
    const quotes = open(chain)
    const offered = (await quotes.offer(tenDollars())).map(({ asset }) => asset)
    return [...offered, ...quotes.feeds().map(({ pair, state }) => `${pair} ${state}`)]
  }
  expect(await after(0n, 0n)).toEqual(['USDC', 'ETH / USD not_positive'])
  expect(await after(-250_000_000_000n, 0n)).toEqual(['USDC', 'ETH / USD not_positive'])
  expect(await after(250_000_000_000n, 3_990n)).toEqual(['USDC', 'ETH / USD stale'])
  expect(await after(250_000_000_000n, -120n)).toEqual(['USDC', 'ETH / USD from_the_future'])
  expect(await after(250_000_000_000n, 3_500n)).toEqual(['USDC', 'ETH', 'ETH / USD accepted'])
})

test('a price of an aggregator of another pair, or of an address without one, is rejected', async () => {
  const btc = await feed('BTC / USD', 6_000_000_000_000n)
  const nothing = { ...btc, address: `0x${'c'.repeat(40)}` }
  const precise = await oracles.deploy(aggregator, ['ETH / USD', 77])
  for (const [wrong, state] of [
    [btc, 'other_pair'],
    [{ ...btc, address: precise }, 'unreadable'],
    [nothing, 'unreadable'],
  ] as const) {
    const quotes = open(chainWith({ native: { asset: 'ETH', decimals: 18, feed: { ...wrong, pair: 'ETH / USD' } } }))
    expect(amounts(await quotes.offer(tenDollars()))).toEqual({ USDC: 10_000_000n })
    expect(quotes.feeds()).toEqual([{ chainId: 1, pair: 'ETH / USD', state }])
  }
})

test('a price has the decimals of its aggregator', async () => {
  const eth = await feed('ETH / USD', 2_500n * 10n ** 18n, 18)
  const [, quote] = await open(chainWith({ native: { asset: 'ETH', decimals: 18, feed: eth } })).offer(tenDollars())
  expect(quote?.amount).toBe(4n * 10n ** 15n)
})

test('while the sequencer is down, and for an hour after, only stablecoins at par are offered', async () => {
  const { eth } = await ethAt(250_000_000_000n)
  const sequencerFeed = await oracles.deploy(aggregator, ['Sequencer', 0])
  const chain = chainWith({ native: { asset: 'ETH', decimals: 18, feed: eth }, sequencerFeed })
  const offered = async (answer: bigint, sinceS: bigint) => {
    await setAnswer(sequencerFeed, answer, 0n, sinceS)
    return Object.keys(amounts(await open(chain).offer(tenDollars())))
  }
  expect(await offered(1n, 7_200n)).toEqual(['USDC'])
  expect(await offered(0n, 3_000n)).toEqual(['USDC'])
  expect(await offered(0n, 3_700n)).toEqual(['USDC', 'ETH'])
})

test('all feeds are read in one block, also when a price changes meanwhile', async () => {
  const { eth, chain } = await ethAt(250_000_000_000n)
  const asked: (readonly RpcCall[])[] = []
  const changing: Node['batch'] = async calls => {
    const answers = await oracles.batch(calls)
    if (calls[0]?.method === 'eth_getBlockByNumber') await setAnswer(eth.address, 300_000_000_000n)
    return answers
  }
  const [, quote] = await open(chain, recording(changing, asked)).offer(tenDollars())
  expect(quote?.rate).toBe('2500')
  const places = asked
    .flat()
    .filter(({ method }) => method === 'eth_call')
    .map(({ params }) => JSON.stringify(params[1]))
  expect(new Set(places).size).toBe(1)
  expect(places[0]).toMatch(/^\{"blockHash":"0x[0-9a-f]{64}"\}$/)
})

test('concurrent requests share one reading, which is cached for five seconds', async () => {
  const { chain } = await ethAt(250_000_000_000n)
  const asked: (readonly RpcCall[])[] = []
  const quotes = open(chain, recording(oracles.batch, asked))
  const all = await Promise.all(Array.from({ length: 200 }, () => quotes.offer(tenDollars())))
  expect(new Set(all.map(offer => offer.length))).toEqual(new Set([2]))
  expect(asked.length).toBe(2)
  clock.advance(4_999)
  await quotes.offer(tenDollars())
  expect(asked.length).toBe(2)
  clock.advance(1)
  await quotes.offer(tenDollars())
  expect(asked.length).toBe(4)
  // Setting the clock back does not extend that time.
  clock.advance(-3_600_000)
  await quotes.offer(tenDollars())
  expect(asked.length).toBe(6)
  await oracles.followHead()
})

test('a node that fails, refuses or returns invalid data affects only the prices of its chain', async () => {
  const { chain } = await ethAt(250_000_000_000n)
  const nodes: readonly Node['batch'][] = [
    () => Promise.reject(new Error('unreachable')),
    async () => [],
    async calls => calls.map(() => new Error('refused')) as never,
    async calls => calls.map(() => '0x'),
    async calls => (calls[0]?.method === 'eth_call' ? [] : oracles.batch(calls)),
    async calls => (calls[0]?.method === 'eth_call' ? calls.map(() => `0x${'f'.repeat(320)}`) : oracles.batch(calls)),
  ]
  for (const batch of nodes) {
    const quotes = openQuotes(
      [
        { chain: { ...chain, id: 2 }, rpc: alone(batch) },
        { chain, rpc: alone(oracles.batch) },
      ],
      outside,
    )
    const offered = (await quotes.offer(tenDollars())).map(({ chainId, asset }) => `${chainId} ${asset}`)
    expect(offered).toEqual(['2 USDC', '1 USDC', '1 ETH'])
  }
})

test('prices of a node that is ten minutes behind are rejected', async () => {
  const { chain } = await ethAt(250_000_000_000n)
  clock.advance(10 * 60_000)
  const quotes = open(chain)
  expect(amounts(await quotes.offer(tenDollars()))).toEqual({ USDC: 10_000_000n })
  expect(quotes.feeds()).toEqual([{ chainId: 1, pair: 'ETH / USD', state: 'behind' }])
  await oracles.followHead()
})

test('pegged stablecoins are quoted without a request to a node', async () => {
  const { chain } = await ethAt(250_000_000_000n)
  const asked: (readonly RpcCall[])[] = []
  const quotes = open(chain, recording(oracles.batch, asked))
  expect(amounts(await quotes.offer(tenDollars({ assets: [{ chainId: 1, asset: 'USDC' }] })))).toEqual({
    USDC: 10_000_000n,
  })
  expect(asked).toEqual([])
})

test('only requested assets are offered, on chains of the payment’s mode', async () => {
  const { chain } = await ethAt(250_000_000_000n)
  const quotes = openQuotes(
    [
      { chain, rpc: alone(oracles.batch) },
      { chain: { ...chain, id: 5, livemode: false }, rpc: alone(oracles.batch) },
    ],
    outside,
  )
  const offered = async (change: Partial<QuoteRequest>) =>
    (await quotes.offer(tenDollars(change))).map(({ chainId, asset }) => `${chainId} ${asset}`)
  expect(await offered({})).toEqual(['1 USDC', '1 ETH'])
  expect(await offered({ livemode: false })).toEqual(['5 USDC', '5 ETH'])
  expect(
    await offered({
      assets: [
        { chainId: 1, asset: 'ETH' },
        { chainId: 5, asset: 'USDC' },
      ],
    }),
  ).toEqual(['1 ETH'])
  expect(await offered({ assets: [{ chainId: 1, asset: 'EURC' }] })).toEqual([])
  expect(await offered({ assets: [] })).toEqual([])
})

test('a price that falls by half is rejected at first', async () => {
  const { eth, chain } = await ethAt(250_000_000_000n)
  const quotes = open(chain)
  expect(amounts(await quotes.offer(tenDollars()))).toHaveProperty('ETH')
  await setAnswer(eth.address, 125_000_000_000n)
  clock.advance(6_000)
  expect(amounts(await quotes.offer(tenDollars()))).toEqual({ USDC: 10_000_000n })
  expect(quotes.feeds()).toEqual([{ chainId: 1, pair: 'ETH / USD', state: 'jumped' }])
  clock.advance(10 * 60_000)
  await oracles.client.setNextBlockTimestamp({ timestamp: BigInt(clock.now().getTime()) / 1000n })
  await setAnswer(eth.address, 125_000_000_000n)
  expect(amounts(await quotes.offer(tenDollars()))).toHaveProperty('ETH', 8n * 10n ** 15n)
})

test('between currencies a change of a tenth is rejected', async () => {
  const eur = await feed('EUR / USD', 108_123_456n)
  const quotes = open(chainWith({ currencyFeeds: [eur] }))
  expect(amounts(await quotes.offer(tenDollars()))).toHaveProperty('EURC')
  await setAnswer(eur.address, 118_123_456n)
  clock.advance(6_000)
  expect(amounts(await quotes.offer(tenDollars()))).toEqual({ USDC: 10_000_000n })
  await oracles.followHead()
})

test('prices of the sandbox never become stale, also of EUR', async () => {
  const { abi, bytecode } = testPrice
  const priced = (pair: string, price: bigint) =>
    oracles.deploy({ abi: abi as Artifact['abi'], bytecode: bytecode as `0x${string}` }, [pair, price])
  const [feed, euroFeed] = [await priced('ETH / USD', 250_000_000_000n), await priced('EUR / USD', 108_000_000n)]
  const quotes = open(sandboxChain({ token: `0x${'d'.repeat(40)}`, feed, euroFeed }))
  await oracles.followHead()
  for (const days of [0, 30]) {
    clock.advance(days * 86_400_000)
    expect(amounts(await quotes.offer(tenDollars({ livemode: false })))).toEqual({
      TUSD: 10_000_000n,
      ETH: 4n * 10n ** 15n,
    })
    const tenEuros = await quotes.offer(tenDollars({ livemode: false, currency: 'EUR' }))
    expect(amounts(tenEuros)).toEqual({ TUSD: 10_800_000n, ETH: 432n * 10n ** 13n })
  }
})
