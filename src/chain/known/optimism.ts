import { feed, mainnet, testnet, token } from './parts.ts'

const family = { asset: 'ETH', blockMs: 2_000, pollMs: 2_000 }

export const opMainnet = mainnet(family, {
  id: 10,
  network: 'Optimism',
  explorerUrl: 'https://optimistic.etherscan.io',
  tokens: [token('USDC', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 6, 'USD')],
  feed: feed('ETH / USD', '0x13e3Ee699D1909E989722E753853AE30b17e08c5', 1_200),
  // The maximum age is chosen by us.
  currencyFeeds: [feed('EUR / USD', '0x3626369857A10CcC6cc3A6e4f5C2f5984a519F20', 3_600)],
  sequencerFeed: '0x371EAD81c9102C9BF4874A9075FFFf170F2Ee389',
})

export const opSepolia = testnet(
  family,
  {
    id: 11155420,
    network: 'OP Sepolia',
    explorerUrl: 'https://optimism-sepolia.blockscout.com',
    tokens: [token('USDC', '0x5fd84259d66Cd46123540766Be93DFE6D43130D7', 6, 'USD')],
    // The maximum age is chosen by us.
    feed: feed('ETH / USD', '0x61Ec26aA57019C486B10502285c5A3D4A4750AD7', 3_600),
  },
  10,
)
