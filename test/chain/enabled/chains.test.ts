import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import * as viem from 'viem/chains'
import { parseAddress } from '../../../src/chain/address.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { openChains } from '../../../src/chain/enabled/chains.ts'
import { knownChains } from '../../../src/chain/known/table.ts'
import { StartError } from '../../../src/process/start-error.ts'

const folder = new URL('../../../src/chain/known/', import.meta.url)

const rpc = (...ids: number[]) => ({
  rpcUrls: new Map(ids.map(id => [id, [`http://127.0.0.1/${id}`]])),
  chainsFile: undefined,
})

const addressesOf = ({ tokens, native, currencyFeeds, sequencerFeed }: Chain) =>
  [...tokens, ...currencyFeeds, ...(native.feed ? [native.feed] : [])]
    .map(({ address }) => address)
    .concat(sequencerFeed ?? [])

test('every address in the source of the known chains has its EIP-55 checksum', () => {
  const spelled = readdirSync(folder).flatMap(
    name => readFileSync(new URL(name, folder), 'utf8').match(/\b0x[0-9a-fA-F]{30,}\b/g) ?? [],
  )
  expect(spelled.length).toBe(knownChains.flatMap(addressesOf).length)
  for (const address of spelled) expect(parseAddress(address)).toBe(address as `0x${string}`)
})

test('addresses of known chains are in lower case', () => {
  for (const address of knownChains.flatMap(addressesOf)) expect(address).toMatch(/^0x[0-9a-f]{40}$/)
})

test('id, mode, native currency and explorer of each known chain are those of viem', () => {
  const definitions = Object.values(viem)
  for (const chain of knownChains) {
    const theirs = definitions.find(definition => definition.id === chain.id)
    expect({
      id: chain.id,
      livemode: chain.livemode,
      asset: chain.native.asset,
      decimals: chain.native.decimals,
      explorerUrl: chain.explorerUrl,
    }).toEqual({
      id: theirs?.id ?? 0,
      livemode: theirs?.testnet !== true,
      asset: theirs?.nativeCurrency.symbol ?? '',
      decimals: 18,
      explorerUrl: theirs?.blockExplorers?.default.url ?? '',
    })
  }
})

test('every known chain has USDC, and other stablecoins only where their issuer issues them', () => {
  const table = knownChains.map(({ network, tokens }) => `${network}: ${tokens.map(({ asset }) => asset).join(' ')}`)
  expect(table).toEqual([
    'Ethereum: USDC USDT DAI PYUSD EURC',
    'Base: USDC EURC',
    'Arbitrum One: USDC PYUSD',
    'Optimism: USDC',
    'Polygon: USDC',
    'Sepolia: USDC EURC PYUSD',
    'Base Sepolia: USDC EURC',
    'Arbitrum Sepolia: USDC PYUSD',
    'OP Sepolia: USDC',
    'Polygon Amoy: USDC',
  ])
})

test('chain ids are unique, and so are assets and addresses of a chain', () => {
  const duplicates = (values: readonly unknown[]) => values.length - new Set(values).size
  expect(duplicates(knownChains.map(({ id }) => id))).toBe(0)
  for (const { native, tokens } of knownChains) {
    expect(duplicates([native.asset, ...tokens.map(({ asset }) => asset)])).toBe(0)
    expect(duplicates(tokens.map(({ address }) => address))).toBe(0)
  }
})

test('mainnets wait for the finalized tag, testnets for a few confirmations', () => {
  for (const { livemode, finality } of knownChains) expect(finality === 'finalized').toBe(livemode)
})

test('layer 2 mainnets have a sequencer feed', () => {
  const layers = knownChains.filter(({ sequencerFeed }) => sequencerFeed).map(({ network }) => network)
  expect(layers).toEqual(['Base', 'Arbitrum One', 'Optimism'])
})

test('RPC URLs enable a known chain', () => {
  expect(openChains(rpc(8453, 1), null).map(({ network }) => network)).toEqual(['Base', 'Ethereum'])
  expect(openChains(rpc(), null)).toEqual([])
})

test('the sandbox chain has the given contracts', () => {
  const contracts = { token: `0x${'1'.repeat(40)}`, feed: `0x${'2'.repeat(40)}`, euroFeed: `0x${'3'.repeat(40)}` }
  const [sandbox] = openChains(rpc(), contracts)
  expect(sandbox).toMatchObject({ id: 31337, livemode: false, finality: { confirmations: 3 }, pollMs: 500 })
  expect(sandbox?.tokens).toEqual([{ asset: 'TUSD', address: contracts.token, decimals: 6, peg: 'USD' }])
  expect(sandbox?.native.feed?.address).toBe(contracts.feed)
  expect(sandbox?.currencyFeeds.map(({ address }) => address)).toEqual([contracts.euroFeed])
})

test('RPC URLs of an unknown chain end the start with one line that names it', () => {
  expect(() => openChains(rpc(1, 424242), null)).toThrow(StartError)
  expect(() => openChains(rpc(1, 424242), null)).toThrow(
    'RPC_URLS_424242 is not valid: the chain must be one of 1, 8453, 42161, 10, 137, 11155111, 84532, 421614, 11155420, 80002, or be described in CHAINS_FILE',
  )
  expect(() => openChains(rpc(31337), null)).toThrow(
    'RPC_URLS_31337 is not valid: the sandbox chain is reached by SANDBOX_RPC_URL',
  )
})
