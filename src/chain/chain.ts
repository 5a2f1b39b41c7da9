/** A coin of which we know what it is worth, at its issuer's own contract. */
export type Token = {
  readonly asset: string
  /** Small letters, as every address inside the house. */
  readonly address: string
  readonly decimals: number
  /** The currency it is worth one of, null for none. */
  readonly peg: string | null
}

/** A Chainlink aggregator: what one of the first name is worth in the second. */
export type Feed = {
  readonly address: string
  /** As its `description()` says, which is compared before an answer is believed: `ETH / USD`. */
  readonly pair: string
  /** The longest it may be silent. Never more than Chainlink promises; where that is not known, our own bound. */
  readonly heartbeatS: number
}

export type Chain = {
  readonly id: number
  readonly network: string
  /** Mainnets serve live mode, test nets and the sandbox serve test mode. */
  readonly livemode: boolean
  readonly native: { readonly asset: string; readonly decimals: 18; readonly feed: Feed | null }
  readonly tokens: readonly Token[]
  /** What currencies are worth in USD on this chain, to pay euros in dollars and the reverse. */
  readonly currencyFeeds: readonly Feed[]
  /** After how many blocks money counts as received, or only under the chain's `finalized` tag. */
  readonly finality: { readonly confirmations: number } | 'finalized'
  readonly blockMs: number
  readonly pollMs: number
  readonly explorerUrl: string | null
  /** Where Chainlink tells whether the sequencer of a second layer works: prices are no good while it does not. */
  readonly sequencerFeed: string | null
  /** Blocks appear when there is something to put in: an old head says nothing about the node. */
  readonly minesOnDemand: boolean
}
