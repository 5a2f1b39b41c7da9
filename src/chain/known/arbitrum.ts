import { feed, mainnet, testnet, token } from './parts.ts'

/** Four blocks a second. Polled once a second, several blocks arrive together. */
const family = { asset: 'ETH', blockMs: 250, pollMs: 1_000 }

export const arbitrumOne = mainnet(family, {
  id: 42161,
  network: 'Arbitrum One',
  explorerUrl: 'https://arbiscan.io',
  tokens: [
    token('USDC', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 6, 'USD'),
    token('PYUSD', '0x46850aD61C2B7d64d08c9C754F45254596696984', 6, 'USD'),
  ],
  // The heartbeat in Chainlink's directory in July 2026. Before, it was a day.
  feed: feed('ETH / USD', '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612', 1_755),
  currencyFeeds: [feed('EUR / USD', '0xA14d53bC1F1c0F31B4aA3BD109344E5009051a84', 3_600)],
  sequencerFeed: '0xFdB631F5EE196F0ed6FAa767959853A9F217697D',
})

export const arbitrumSepolia = testnet(
  family,
  {
    id: 421614,
    network: 'Arbitrum Sepolia',
    explorerUrl: 'https://sepolia.arbiscan.io',
    tokens: [
      token('USDC', '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d', 6, 'USD'),
      token('PYUSD', '0x637A1259C6afd7E3AdF63993cA7E58BB438aB1B1', 6, 'USD'),
    ],
    // The maximum age is chosen by us.
    feed: feed('ETH / USD', '0xd30e2101a97dcbAeBCBC04F14C3f624E67A35165', 3_600),
  },
  40,
)
