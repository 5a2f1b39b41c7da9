/**
 * Nodes that the makers of a chain keep open to everybody, for wallets that do not know the chain yet: our own nodes'
 * addresses hold keys. The house asks none of these. Ethereum is known to every wallet, and Polygon has none.
 */
export const publicNodes: Readonly<Record<number, string>> = {
  10: 'https://mainnet.optimism.io',
  8453: 'https://mainnet.base.org',
  42161: 'https://arb1.arbitrum.io/rpc',
  84532: 'https://sepolia.base.org',
  421614: 'https://sepolia-rollup.arbitrum.io/rpc',
  11155420: 'https://sepolia.optimism.io',
}
