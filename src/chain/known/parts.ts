import { parseAddress } from '../address.ts'
import type { Chain, Feed, Token } from '../chain.ts'

/** Every row of the table is spelled with its checksum: a digit mistyped in the source stops the start. */
export const known = (address: string): string => {
  if (parseAddress(address) !== address) throw new TypeError(`${address} is not spelled with its EIP-55 checksum`)
  return address.toLowerCase()
}

export const token = (asset: string, address: string, decimals: number, peg: string | null): Token => ({
  asset,
  address: known(address),
  decimals,
  peg,
})

export const feed = (pair: string, address: string, heartbeatS: number): Feed => ({
  pair,
  address: known(address),
  heartbeatS,
})

/** The two of a family differ in little more than addresses. */
export type ChainRow = Pick<Chain, 'id' | 'network' | 'explorerUrl' | 'tokens'> & {
  readonly feed: Feed
  readonly currencyFeeds?: readonly Feed[]
  readonly sequencerFeed?: string
}

export type ChainFamily = { readonly asset: string; readonly blockMs: number; readonly pollMs: number }

/** Money is only money once the chain cannot take it back without losing its own deposits. */
export const mainnet = (family: ChainFamily, row: ChainRow): Chain => ({ ...chainOf(family, row), livemode: true })

/** Nothing is lost on a test net, and nobody wants to wait a quarter of an hour for a test. */
export const testnet = (family: ChainFamily, row: ChainRow, confirmations: number): Chain => ({
  ...chainOf(family, row),
  livemode: false,
  finality: { confirmations },
})

const chainOf = ({ asset, blockMs, pollMs }: ChainFamily, row: ChainRow): Omit<Chain, 'livemode'> => ({
  id: row.id,
  network: row.network,
  native: { asset, decimals: 18, feed: row.feed },
  tokens: row.tokens,
  currencyFeeds: row.currencyFeeds ?? [],
  finality: 'finalized',
  blockMs,
  pollMs,
  explorerUrl: row.explorerUrl,
  sequencerFeed: row.sequencerFeed === undefined ? null : known(row.sequencerFeed),
  minesOnDemand: false,
})
