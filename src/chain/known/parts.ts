import { parseAddress } from '../address.ts'
import type { Chain, Feed, Token } from '../chain.ts'

/** Addresses in this folder are written with their checksum: a mistyped digit ends the start. */
export const checkedAddress = (address: string): string => {
  if (parseAddress(address) !== address) throw new TypeError(`${address} does not have a valid EIP-55 checksum`)
  return address.toLowerCase()
}

export const token = (asset: string, address: string, decimals: number, peg: string | null): Token => ({
  asset,
  address: checkedAddress(address),
  decimals,
  peg,
})

export const feed = (pair: string, address: string, heartbeatS: number): Feed => ({
  pair,
  address: checkedAddress(address),
  heartbeatS,
})

/** The mainnet and testnet of a chain differ in little more than addresses. */
export type ChainRow = Pick<Chain, 'id' | 'network' | 'explorerUrl' | 'tokens'> & {
  readonly feed: Feed
  readonly currencyFeeds?: readonly Feed[]
  readonly sequencerFeed?: string
}

export type ChainFamily = { readonly asset: string; readonly blockMs: number; readonly pollMs: number }

/**
 * On a mainnet, money counts only under the `finalized` tag: the chain cannot revert it without the loss of its
 * validators' deposits.
 */
export const mainnet = (family: ChainFamily, row: ChainRow): Chain => ({ ...chainOf(family, row), livemode: true })

/**
 * On a testnet, a few confirmations are enough: nothing of value is lost, and waiting a quarter of an hour would slow
 * tests down.
 */
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
  sequencerFeed: row.sequencerFeed === undefined ? null : checkedAddress(row.sequencerFeed),
  minesOnDemand: false,
})
