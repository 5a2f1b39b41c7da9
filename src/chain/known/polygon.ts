import { feed, mainnet, testnet, token } from './parts.ts'

const family = { asset: 'POL', blockMs: 2_000, pollMs: 2_000 }

export const polygonMainnet = mainnet(family, {
  id: 137,
  network: 'Polygon',
  explorerUrl: 'https://polygonscan.com',
  tokens: [token('USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6, 'USD')],
  feed: feed('POL / USD', '0xAB594600376Ec9fD91F8e885dADF0CE036862dE0', 27),
  currencyFeeds: [feed('EUR / USD', '0x73366Fe0AA0Ded304479862808e02506FE556a98', 27)],
})

export const amoy = testnet(
  family,
  {
    id: 80002,
    network: 'Polygon Amoy',
    explorerUrl: 'https://amoy.polygonscan.com',
    tokens: [token('USDC', '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', 6, 'USD')],
    feed: feed('POL / USD', '0x001382149eBa3441043c1c66972b4772963f5D43', 120),
  },
  10,
)
