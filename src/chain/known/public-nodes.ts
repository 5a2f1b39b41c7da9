/**
 * Public nodes that the maintainers of a chain operate. They are given to wallets that do not know the chain yet,
 * because the URLs of our own nodes contain keys. The server itself asks none of them. Ethereum is known to every
 * wallet, and Polygon has no such node.
 */
export const publicNodes: Readonly<Record<number, string>> = {
  10: 'https://mainnet.optimism.io',
  8453: 'https://mainnet.base.org',
  42161: 'https://arb1.arbitrum.io/rpc',
  84532: 'https://sepolia.base.org',
  421614: 'https://sepolia-rollup.arbitrum.io/rpc',
  11155420: 'https://sepolia.optimism.io',
}
