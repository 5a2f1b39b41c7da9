import { expect, test } from 'bun:test'
import { arbitrum, arbitrumSepolia, base, baseSepolia, optimism, optimismSepolia } from 'viem/chains'
import { publicNodes } from '../../src/chain/known/public-nodes.ts'
import { knownChains } from '../../src/chain/known/table.ts'

test('the open nodes that wallets are told of are those that the chains are known by, and of chains that we know', () => {
  const chains = [arbitrum, arbitrumSepolia, base, baseSepolia, optimism, optimismSepolia]
  expect(publicNodes).toEqual(Object.fromEntries(chains.map(({ id, rpcUrls }) => [id, rpcUrls.default.http[0]])))
  const known = knownChains.map(({ id }) => id)
  expect(chains.filter(({ id }) => !known.includes(id))).toEqual([])
})
