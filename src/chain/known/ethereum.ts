import { feed, mainnet, testnet, token } from './parts.ts'

const family = { asset: 'ETH', blockMs: 12_000, pollMs: 4_000 }

export const ethereumMainnet = mainnet(family, {
  id: 1,
  network: 'Ethereum',
  explorerUrl: 'https://etherscan.io',
  tokens: [
    token('USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6, 'USD'),
    token('USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6, 'USD'),
    token('DAI', '0x6B175474E89094C44Da98b954EedeAC495271d0F', 18, 'USD'),
    token('PYUSD', '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8', 6, 'USD'),
    token('EURC', '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', 6, 'EUR'),
  ],
  feed: feed('ETH / USD', '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419', 3_600),
  currencyFeeds: [feed('EUR / USD', '0xb49f677943BC038e9857d61E7d053CaA2C1734C1', 86_400)],
})

export const sepolia = testnet(
  family,
  {
    id: 11155111,
    network: 'Sepolia',
    explorerUrl: 'https://sepolia.etherscan.io',
    tokens: [
      token('USDC', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', 6, 'USD'),
      token('EURC', '0x08210F9170F89Ab7658F0B5E3fF39b0E03C594D4', 6, 'EUR'),
      token('PYUSD', '0xCaC524BcA292aaade2DF8A05cC58F0a65B1B3bB9', 6, 'USD'),
    ],
    feed: feed('ETH / USD', '0x694AA1769357215DE4FAC081bf1f309aDC325306', 3_600),
    // The maximum age is chosen by us: no heartbeat of Chainlink was found for this feed.
    currencyFeeds: [feed('EUR / USD', '0x1a81afB8146aeFfCFc5E50e8479e826E7D55b910', 86_400)],
  },
  5,
)
