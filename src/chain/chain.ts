/** A token whose value is known, with the address of its issuer's contract. */
export type Token = {
  readonly asset: string
  /** Lower case, as all stored addresses. */
  readonly address: string
  readonly decimals: number
  /** The currency that one token is worth one unit of, such as USD. Null: none. */
  readonly peg: string | null
}

/** A Chainlink aggregator, which states the price of the first name in units of the second. */
export type Feed = {
  readonly address: string
  /** Compared with the contract's `description()` before an answer is used. For example `ETH / USD`. */
  readonly pair: string
  /**
   * The longest time between two updates. At most what Chainlink publishes; where it publishes nothing, our own limit.
   */
  readonly heartbeatS: number
}

export type Chain = {
  readonly id: number
  readonly network: string
  /** Mainnets serve live mode, test nets and the sandbox serve test mode. */
  readonly livemode: boolean
  readonly native: { readonly asset: string; readonly decimals: 18; readonly feed: Feed | null }
  readonly tokens: readonly Token[]
  /** Prices of currencies in USD, to pay amounts in EUR with tokens pegged to USD and the reverse. */
  readonly currencyFeeds: readonly Feed[]
  /** Money is final after so many blocks, or under the chain's `finalized` tag. */
  readonly finality: { readonly confirmations: number } | 'finalized'
  readonly blockMs: number
  readonly pollMs: number
  readonly explorerUrl: string | null
  /**
   * The Chainlink feed that states whether the sequencer of a layer 2 chain is up. While it is down, prices are not
   * used.
   */
  readonly sequencerFeed: string | null
  /** The chain has a new block only when there is a transaction. An old head is no sign of a node in trouble. */
  readonly minesOnDemand: boolean
}
