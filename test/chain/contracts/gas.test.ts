import { expect, test } from 'bun:test'
import { type Hex, zeroAddress as nativeAsset } from 'viem'
import { forwarderOf, saltOf } from '../../../src/chain/forwarder.ts'
import { factoryChain, stuckIn } from './chain.ts'

const salts = Array.from({ length: 200 }, (_, at) => saltOf(new Uint8Array(32).fill(7), at + 1))

test('200 new addresses are collected in one transaction, for at most 60,000 gas each', async () => {
  await using chain = await factoryChain()
  const good = await chain.deploy('good-token')
  const other = await chain.deploy('good-token')
  const gas: Record<string, number> = {}
  /** A treasury without collections, and its unused addresses. */
  const fresh = (digit: number) => {
    const treasury: Hex = `0x52908400098527886e0f7030069857d2e4169ee${digit}`
    const forwarders = salts.map(forwarderOf(treasury))
    return {
      treasury,
      mint: (token: Hex) => chain.mint(token, forwarders, 1000n),
      fund: async () => {
        for (const address of forwarders) await chain.client.setBalance({ address, value: 7n })
      },
      collect: async (what: string, tokens: readonly Hex[]) => {
        const receipt = await chain.collect(treasury, salts, tokens, { gas: 16_777_216n })
        expect(stuckIn(receipt)).toEqual([])
        gas[what] = Math.round(Number(receipt.gasUsed) / salts.length)
      },
    }
  }

  const tokens = fresh(1)
  await tokens.mint(good)
  await tokens.collect('a token, new', [good])
  expect(await chain.tokenBalance(good, tokens.treasury)).toBe(200_000n)
  await tokens.collect('a token, empty', [good])
  await tokens.mint(good)
  await tokens.collect('a token, again', [good])

  const native = fresh(2)
  await native.fund()
  await native.collect('native, new', [nativeAsset])
  await native.fund()
  await native.collect('native, again', [nativeAsset])

  const all = fresh(3)
  await all.fund()
  await all.mint(good)
  await all.mint(other)
  await all.collect('native and two tokens, new', [nativeAsset, good, other])
  expect(await chain.nativeBalance(all.treasury)).toBe(1400n)

  console.log(`gas for each of 200 addresses: ${JSON.stringify(gas)}`)
  expect(gas['a token, new']).toBeLessThanOrEqual(60_000)
  expect(gas['native, new']).toBeLessThanOrEqual(60_000)
})
