import type { Chain } from '../chain.ts'

export const sandboxId = 31337

/** The contracts deployed on the development chain. Addresses in lower case. */
export type SandboxContracts = {
  /** The test dollar. */
  readonly token: string
  /** The aggregator with the price of ETH in USD. */
  readonly feed: string
  /** The aggregator with the price of EUR in USD, so that amounts in EUR can be paid with test dollars. */
  readonly euroFeed: string
}

/** The development chain of test mode. Its prices are fixed, so they never become stale. */
export const sandboxChain = ({ token, feed, euroFeed }: SandboxContracts): Chain => ({
  id: sandboxId,
  network: 'Sandbox',
  livemode: false,
  native: { asset: 'ETH', decimals: 18, feed: { address: feed, pair: 'ETH / USD', heartbeatS: aCenturyS } },
  tokens: [{ asset: 'TUSD', address: token, decimals: 6, peg: 'USD' }],
  currencyFeeds: [{ address: euroFeed, pair: 'EUR / USD', heartbeatS: aCenturyS }],
  finality: { confirmations: 3 },
  blockMs: 1_000,
  pollMs: 500,
  explorerUrl: null,
  sequencerFeed: null,
  minesOnDemand: true,
})

const aCenturyS = 100 * 365 * 86_400
