import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChains } from '../../../src/chain/enabled/chains.ts'
import { StartError } from '../../../src/process/start-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'chains-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'chains.json')

const open = (content: string, ...ids: number[]) => {
  writeFileSync(path, content)
  return openChains({ rpcUrls: new Map(ids.map(id => [id, ['http://127.0.0.1']])), chainsFile: path }, null)
}

const address = '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70'
const token = { asset: 'EURe', address, decimals: 18, peg: 'EUR' }
const feedOf = (pair: string) => ({ address, pair, heartbeatS: 3_600 })
const gnosis = {
  id: 100,
  network: 'Gnosis',
  livemode: true,
  native: { asset: 'XDAI' },
  tokens: [token],
  finality: { confirmations: 20 },
  blockMs: 5_000,
}

test('a chain of the file is enabled by its RPC URLs', () => {
  const [chain] = open(JSON.stringify({ chains: [gnosis] }), 100)
  expect(chain).toEqual({
    ...gnosis,
    native: { asset: 'XDAI', decimals: 18, feed: null },
    tokens: [{ ...token, address: address.toLowerCase() }],
    finality: { confirmations: 20 },
    currencyFeeds: [],
    pollMs: 4_000,
    explorerUrl: null,
    sequencerFeed: null,
    minesOnDemand: false,
  })
})

test('an entry can have feeds, explorer and sequencer feed', () => {
  const feed = { address, pair: 'DAI / USD', heartbeatS: 3_600 }
  const whole = {
    ...gnosis,
    native: { asset: 'XDAI', feed },
    finality: 'finalized',
    currencyFeeds: [{ ...feed, pair: 'EUR / USD' }],
    pollMs: 700,
    explorerUrl: 'https://gnosisscan.io',
    sequencerFeed: address,
  }
  const small = address.toLowerCase()
  expect(open(JSON.stringify({ chains: [whole] }), 100)[0]).toMatchObject({
    native: { feed: { ...feed, address: small } },
    finality: 'finalized',
    currencyFeeds: [{ address: small }],
    pollMs: 700,
    explorerUrl: 'https://gnosisscan.io',
    sequencerFeed: small,
  })
})

test('a chain of the file without RPC URLs is not enabled', () => {
  expect(open(JSON.stringify({ chains: [gnosis] }), 1).map(({ id }) => id)).toEqual([1])
})

test('the file adds tokens to a known chain, after its known tokens', () => {
  const [base] = open(
    JSON.stringify({ chains: [{ id: 8453, tokens: [{ ...token, address: `0x${'a'.repeat(40)}` }] }] }),
    8453,
  )
  expect(base?.tokens.map(({ asset }) => asset)).toEqual(['USDC', 'EURC', 'EURe'])
  expect(base?.finality).toBe('finalized')
})

const usdcOnBase = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** What is wrong, the file, and the error. */
const refused: readonly (readonly [string, unknown, string])[] = [
  ['a list as the file', [], 'chains: it must be a list of at most 1000 chains'],
  ['a field next to the list', { chains: [], more: 1 }, 'more: this field is not allowed there'],
  ['a number as a chain', { chains: [5] }, 'chains[0]: it must be an object'],
  ['no id', { chains: [{}] }, 'chains[0].id: it must be a chain ID, a whole number of at least 1'],
  ['a second description', { chains: [gnosis, gnosis] }, 'chains[1].id: it must be a chain that is listed only once'],
  ['the sandbox', { chains: [{ ...gnosis, id: 31337 }] }, 'chains[0].id: it must be a chain other than the sandbox'],
  ['no mode', { chains: [{ ...gnosis, livemode: undefined }] }, 'chains[0].livemode: it must be true for a mainnet'],
  ['an unknown field', { chains: [{ ...gnosis, rpc: 'x' }] }, 'chains[0].rpc: this field is not allowed there'],
  [
    'a checksum',
    { chains: [{ ...gnosis, tokens: [{ ...token, address: address.replace('71041d', '71041D') }] }] },
    'chains[0].tokens[0].address: it must be an address',
  ],
  [
    'the zero address',
    { chains: [{ ...gnosis, tokens: [{ ...token, address: `0x${'0'.repeat(40)}` }] }] },
    'chains[0].tokens[0].address: it must be an address',
  ],
  [
    'decimals',
    { chains: [{ ...gnosis, tokens: [{ ...token, decimals: 37 }] }] },
    'chains[0].tokens[0].decimals: it must be a whole number, 0 to 36',
  ],
  [
    'a peg',
    { chains: [{ ...gnosis, tokens: [{ ...token, peg: 'eur' }] }] },
    'chains[0].tokens[0].peg: it must be a currency',
  ],
  [
    'a feed',
    { chains: [{ ...gnosis, native: { asset: 'X', feed: { address, pair: 'X/USD', heartbeatS: 1 } } }] },
    'chains[0].native.feed.pair: it must be a pair',
  ],
  [
    'a pair twice',
    { chains: [{ ...gnosis, currencyFeeds: ['EUR', 'GBP', 'eur'].map(name => feedOf(`${name} / USD`)) }] },
    'chains[0].currencyFeeds[2].pair: it must be a pair that the chain does not have yet',
  ],
  [
    'the pair of the native currency as that of a currency',
    {
      chains: [
        { ...gnosis, native: { asset: 'XDAI', feed: feedOf('DAI / USD') }, currencyFeeds: [feedOf('DAI / USD')] },
      ],
    },
    'chains[0].currencyFeeds[0].pair: it must be a pair that the chain does not have yet',
  ],
  ['a finality', { chains: [{ ...gnosis, finality: 'safe' }] }, 'chains[0].finality: it must be "finalized"'],
  [
    'an explorer',
    { chains: [{ ...gnosis, explorerUrl: 'javascript:x' }] },
    'chains[0].explorerUrl: it must be null, or an http',
  ],
  [
    'an asset twice',
    { chains: [{ ...gnosis, tokens: [token, { ...token, asset: 'eure' }] }] },
    'chains[0].tokens[1].asset: it must be an asset that the chain does not have yet',
  ],
  [
    'an address twice',
    { chains: [{ ...gnosis, tokens: [token, { ...token, asset: 'X' }] }] },
    'chains[0].tokens[1].address: it must be the address of a token that the chain does not have yet',
  ],
  [
    'the native currency as a token',
    { chains: [{ ...gnosis, tokens: [{ ...token, asset: 'xDAI' }] }] },
    'chains[0].tokens[0].asset: it must be an asset that the chain does not have yet',
  ],
  [
    'another USDC on Base',
    { chains: [{ id: 8453, tokens: [{ ...token, asset: 'USDC' }] }] },
    'chains[0].tokens[0].asset: it must be an asset that the chain does not have yet',
  ],
  [
    'USDC by another name',
    { chains: [{ id: 8453, tokens: [{ ...token, address: usdcOnBase }] }] },
    'chains[0].tokens[0].address: it must be the address of a token that the chain does not have yet',
  ],
  [
    'the mode of Base',
    { chains: [{ id: 8453, tokens: [token], livemode: false }] },
    'chains[0].livemode: this field is not allowed there',
  ],
]

for (const [name, content, says] of refused)
  test(`${name} in the file ends the start with one line`, () => {
    const start = () => open(JSON.stringify(content), 1)
    expect(start).toThrow(StartError)
    expect(start).toThrow(`CHAINS_FILE is not valid at ${says}`)
    expect(start).not.toThrow('\n')
  })

test('a file that is not JSON ends the start with an error that does not quote it', () => {
  expect(() => open('{ secret', 1)).toThrow(/^CHAINS_FILE is not valid: it must be a readable JSON file$/)
})
