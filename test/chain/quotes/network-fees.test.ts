import { afterAll, expect, test } from 'bun:test'
import type { Chain } from '../../../src/chain/chain.ts'
import { openQuotes } from '../../../src/chain/quotes/quotes.ts'
import type { Node } from '../../../src/chain/rpc/rpc.ts'
import { readableLog } from '../../harness/lines.ts'
import { until } from '../../harness/until.ts'
import { alone, chainWith, startOracles } from './oracles.ts'

const oracles = await startOracles()
afterAll(() => oracles[Symbol.asyncDispose]())

const outside = { clock: oracles.clock, log: readableLog().log }
const eth = await oracles.feed('ETH / USD', 250_000_000_000n)
const eur = await oracles.feed('EUR / USD', 125_000_000n)
const native: Chain['native'] = { asset: 'ETH', decimals: 18, feed: eth }

const feesOf = (batch: Node['batch'], change: Partial<Chain> = {}) =>
  openQuotes([{ chain: chainWith({ native, currencyFeeds: [eur], ...change }), rpc: alone(batch) }], outside)
const read = (quotes: ReturnType<typeof feesOf>, currency = 'USD') => quotes.networkFees({ chainIds: [1], currency })

const isGasPrice = (calls: Parameters<Node['batch']>[0]) => calls[0]?.method === 'eth_gasPrice'
/** The node of the tests, with another gas price. */
const priced =
  (gasPrice: unknown): Node['batch'] =>
  (calls, options) =>
    isGasPrice(calls) ? Promise.resolve([gasPrice]) : oracles.batch(calls, options)

test('65,000 gas for a token and 21,000 for the native currency, in each currency, rounded up', async () => {
  const { client, batch } = oracles
  const gasPrice = await client.getGasPrice()
  const minor = (gas: bigint, per: bigint) => Number((gas * gasPrice * per + 10n ** 18n - 1n) / 10n ** 18n)
  const quotes = feesOf(batch)
  expect([...(await read(quotes))]).toEqual([
    [1, { token: minor(65_000n, 250_000n), native: minor(21_000n, 250_000n) }],
  ])
  // At 1.25 dollars for a euro.
  expect([...(await read(quotes, 'EUR'))]).toEqual([
    [1, { token: minor(65_000n, 200_000n), native: minor(21_000n, 200_000n) }],
  ])
})

const prices = [
  // 1 wei: more than 0.
  ['0x1', { token: 1, native: 1 }],
  ['0x0', { token: 0, native: 0 }],
  // 4 gwei: 65 and 21 cents exactly.
  ['0xee6b2800', { token: 65, native: 21 }],
  [`0x${'f'.repeat(64)}`, undefined],
  ['0x', undefined],
  ['4000000000', undefined],
  [null, undefined],
  [{}, undefined],
] as const
for (const [gasPrice, fee] of prices)
  test(`a gas price of ${JSON.stringify(gasPrice)}`, async () => {
    expect((await read(feesOf(priced(gasPrice)))).get(1)).toEqual(fee)
  })

test('a node without a gas price, or without a price of the native currency, does not affect the fees of other chains', async () => {
  const good = chainWith({ native, id: 7 })
  const bad: readonly [Node['batch'], Partial<Chain>][] = [
    [calls => (isGasPrice(calls) ? Promise.reject(new Error('away')) : oracles.batch(calls)), {}],
    [calls => (isGasPrice(calls) ? oracles.batch(calls) : Promise.reject(new Error('away'))), {}],
    [oracles.batch, { native: { ...native, feed: null } }],
  ]
  for (const [batch, change] of bad) {
    const chains = [
      { chain: chainWith({ native, ...change }), rpc: alone(batch) },
      { chain: good, rpc: alone(oracles.batch) },
    ]
    const found = await openQuotes(chains, outside).networkFees({ chainIds: [1, 7], currency: 'USD' })
    expect([...found.keys()]).toEqual([7])
  }
})

test('a node that does not answer holds up the first caller for a second, and no later caller', async () => {
  let isSilent = true
  const quotes = feesOf(async (calls, options) => {
    await until(() => !isSilent)
    return oracles.batch(calls, options)
  })
  const timed = async () => {
    const began = performance.now()
    const { size } = await read(quotes)
    return { size, ms: performance.now() - began }
  }
  const first = await timed()
  expect(first.size).toBe(0)
  expect(first.ms).toBeLessThan(3_000)
  for (let n = 0; n < 3; n++) {
    const { size, ms } = await timed()
    expect(size).toBe(0)
    expect(ms).toBeLessThan(500)
  }
  isSilent = false
  await until(async () => (await timed()).size === 1)
})

test('only the chains that are asked for are read, and one reading serves all callers for some seconds', async () => {
  let asked = 0
  const quotes = feesOf((calls, options) => {
    if (isGasPrice(calls)) asked++
    return oracles.batch(calls, options)
  })
  expect([...(await quotes.networkFees({ chainIds: [2], currency: 'USD' }))]).toEqual([])
  expect(asked).toBe(0)
  await Promise.all(Array.from({ length: 20 }, () => read(quotes)))
  await read(quotes)
  expect(asked).toBe(1)
})
