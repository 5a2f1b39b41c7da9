import { expect, test } from 'bun:test'
import { zeroAddress as coin, type Hex } from 'viem'
import { forwarderOf, saltOf } from '../../../src/chain/forwarder.ts'
import { factoryChain, stuckIn } from './chain.ts'

const treasury = '0x52908400098527886e0f7030069857d2e4169ee7'

test('200 new addresses are collected in one transaction, for at most 60,000 gas each', async () => {
  await using chain = await factoryChain()
  const good = await chain.deploy('good-token')
  const other = await chain.deploy('good-token')
  const salts = Array.from({ length: 200 }, (_, at) => saltOf(new Uint8Array(32).fill(7), at + 1))
  const forwarders = salts.map(forwarderOf(treasury))
  const gas: Record<string, number> = {}
  const collect = async (what: string, tokens: readonly Hex[], most: bigint) => {
    const receipt = await chain.collect(treasury, salts, tokens, { gas: most })
    expect(stuckIn(receipt)).toEqual([])
    gas[what] = Math.round(Number(receipt.gasUsed) / salts.length)
  }
  const most = 16_777_216n

  const snapshot = await chain.client.snapshot()
  await chain.mint(good, forwarders, 1000n)
  await collect('a token, new', [good], most)
  expect(await chain.tokens(good, treasury)).toBe(200_000n)
  await collect('a token, nothing there', [good], most)
  await chain.mint(good, forwarders, 1000n)
  await collect('a token, again', [good], most)
  await chain.client.revert({ id: snapshot })

  const fund = async () => {
    for (const address of forwarders) await chain.client.setBalance({ address, value: 7n })
  }
  const empty = await chain.client.snapshot()
  await fund()
  await collect('coins, new', [coin], most)
  await fund()
  await collect('coins, again', [coin], most)
  await chain.client.revert({ id: empty })

  await fund()
  await chain.mint(good, forwarders, 1000n)
  await chain.mint(other, forwarders, 1000n)
  await collect('coins and two tokens, new', [coin, good, other], most)
  expect(await chain.coins(treasury)).toBe(1400n)

  console.log(`gas for each of 200 addresses: ${JSON.stringify(gas)}`)
  expect(gas['a token, new']).toBeLessThanOrEqual(60_000)
  expect(gas['coins, new']).toBeLessThanOrEqual(60_000)
})
