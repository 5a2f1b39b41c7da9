import { feed, mainnet, testnet, token } from './parts.ts'

const family = { asset: 'ETH', blockMs: 2_000, pollMs: 2_000 }

export const baseMainnet = mainnet(family, {
  id: 8453,
  network: 'Base',
  explorerUrl: 'https://basescan.org',
  tokens: [
    token('USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 6, 'USD'),
    token('EURC', '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', 6, 'EUR'),
  ],
  feed: feed('ETH / USD', '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70', 1_200),
  // The maximum age is chosen by us: the heartbeat of the other currency feeds on this chain, 3,600 s.
  currencyFeeds: [feed('EUR / USD', '0xc91D87E81faB8f93699ECf7Ee9B44D11e1D53F0F', 3_600)],
  sequencerFeed: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433',
})

export const baseSepolia = testnet(
  family,
  {
    id: 84532,
    network: 'Base Sepolia',
    explorerUrl: 'https://sepolia.basescan.org',
    tokens: [
      token('USDC', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', 6, 'USD'),
      token('EURC', '0x808456652fdb597867f38412077A9182bf77359F', 6, 'EUR'),
    ],
    feed: feed('ETH / USD', '0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1', 3_600),
  },
  10,
)
