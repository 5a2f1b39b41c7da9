import type { Chain } from '../chain.ts'

export const sandboxId = 31337

/** What was deployed on the development chain; addresses in small letters. */
export type SandboxContracts = {
  /** The test dollar. */
  readonly token: string
  /** The aggregator that says what one ETH is worth in USD. */
  readonly feed: string
  /** The same of one EUR, so that who charges euros can be paid in test dollars. */
  readonly euroFeed: string
}

/** The development chain of test mode. Its prices are made up, so they never grow old. */
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
