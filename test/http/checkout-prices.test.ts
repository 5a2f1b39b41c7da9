import { expect, test } from 'bun:test'
import { selectors } from '../../src/chain/quotes/read-feeds.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { checkoutServer } from './checkouts.ts'

let wrongPrice = true
const { link, visit, open, priceEther } = await checkoutServer(({ method, params }, answer) => {
  const [call] = params as readonly [{ readonly to?: string; readonly data?: string } | undefined]
  const isPrice = method === 'eth_call' && call?.to === sandboxContracts.feed && call.data === selectors.latestRoundData
  if (!wrongPrice || !isPrice) return answer
  // The answer is the second of five words.
  const [before, price, after] = [String(answer).slice(0, 66), String(answer).slice(66, 130), String(answer).slice(130)]
  return before + (BigInt(`0x${price}`) * 1_000_000n).toString(16).padStart(64, '0') + after
})

test('503: a native currency for which two nodes report different prices; $1,000 are not 400000000000 wei', async () => {
  const { id } = await link({ amountMinor: 1_000_00 })
  expect((await visit(id)).options.map(({ asset }) => asset)).toEqual(['TUSD'])
  expect(await open(id, { chainId: 31337, asset: 'ETH' })).toMatchObject({
    ...{ status: 503, error: { code: 'rate_unavailable', param: 'asset' } },
  })
  expect((await open(id, { chainId: 31337, asset: 'TUSD' })).status).toBe(201)
  wrongPrice = false
  await priceEther(2_500)
  expect(await open(id, { chainId: 31337, asset: 'ETH' })).toMatchObject({
    ...{ status: 201, payment: { crypto: { amountExpected: '400000000000000000' } } },
  })
})
