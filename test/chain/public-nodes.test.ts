import { expect, test } from 'bun:test'
import { arbitrum, arbitrumSepolia, base, baseSepolia, optimism, optimismSepolia } from 'viem/chains'
import { publicNodes } from '../../src/chain/known/public-nodes.ts'
import { knownChains } from '../../src/chain/known/table.ts'

test('public nodes given to wallets are those of the chain registry, for known chains only', () => {
  const chains = [arbitrum, arbitrumSepolia, base, baseSepolia, optimism, optimismSepolia]
  expect(publicNodes).toEqual(Object.fromEntries(chains.map(({ id, rpcUrls }) => [id, rpcUrls.default.http[0]])))
  const known = knownChains.map(({ id }) => id)
  expect(chains.filter(({ id }) => !known.includes(id))).toEqual([])
})
