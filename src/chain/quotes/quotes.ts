import type { Dependencies } from '../../dependencies.ts'
import type { Chain, Token } from '../chain.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { atPar, type Money, type Price, quotedAmount, rateOf } from './amount.ts'
import { type NetworkFee, openNetworkFees } from './network-fees.ts'
import { type ChainPrices, type FeedState, type KnownPrice, openPrices } from './prices.ts'
import { type FeedNodes, feedsOf } from './read-feeds.ts'

/** The price of a payment in one asset. */
export type Quote = {
  readonly chainId: number
  readonly network: string
  readonly asset: string
  /** Null: native currency. */
  readonly tokenAddress: string | null
  readonly decimals: number
  /** In atomic units. */
  readonly amount: bigint
  /** A stablecoin pegged to the payment's currency, at par: no rate, and no expiry. */
  readonly pegged: boolean
  /** The price of one unit in the payment's currency, for display. */
  readonly rate: string | null
  readonly source: string | null
  readonly expiresAt: Date | null
}

export type QuoteRequest = Money & {
  readonly livemode: boolean
  /** The end of the payment's window. */
  readonly until: Date
  /** Null: all assets. */
  readonly assets: readonly { readonly chainId: number; readonly asset: string }[] | null
}

export type FeeRequest = { readonly chainIds: readonly number[]; readonly currency: string }

export type Quotes = {
  /** Estimated fees of a transfer on these chains. A chain is left out while its gas price or its prices are not known. */
  networkFees(asked: FeeRequest): Promise<ReadonlyMap<number, NetworkFee>>
  /** One quote for each asset that has a price now. Other assets are left out. */
  offer(asked: QuoteRequest): Promise<readonly Quote[]>
  /** The state of every aggregator at its last reading. Where a price was rejected, this starts another reading. */
  feeds(): readonly FeedState[]
  /** The prices of a chain as of its last reading; empty for another chain. */
  knownPrices(chainId: number): readonly KnownPrice[]
  /** Reads the prices of all chains. Never throws. */
  refresh(): Promise<void>
}

export type PricedChain = { readonly chain: Chain; readonly rpc: FeedNodes & Pick<Rpc, 'read'> }

export const openQuotes = (chains: readonly PricedChain[], outside: Pick<Dependencies, 'clock' | 'log'>): Quotes => {
  const { clock } = outside
  const opened = chains.map(({ chain, rpc }) => {
    const prices = openPrices(chain, rpc, outside)
    return { chain, prices, fees: openNetworkFees(rpc, prices) }
  })
  return {
    networkFees: async ({ chainIds, currency }) => {
      const read = opened
        .filter(({ chain }) => chainIds.includes(chain.id) && chain.native.feed !== null)
        .map(async ({ chain, fees }) => {
          const priceIn = (known: ChainPrices) => priceOf(chain, nativeOf(chain), currency, known)?.price
          return [chain.id, await fees.read(currency, priceIn)] as const
        })
      return new Map((await Promise.all(read)).flatMap(([id, fee]) => (fee ? [[id, fee] as const] : [])))
    },
    knownPrices: id => opened.find(({ chain }) => chain.id === id)?.prices.known() ?? [],
    refresh: async () => void (await Promise.all(opened.map(({ prices }) => prices.read()))),
    feeds: () => opened.flatMap(({ prices }) => prices.states()),
    offer: async asked => {
      if (asked.until <= clock.now()) return []
      const offered = opened
        .filter(({ chain }) => chain.livemode === asked.livemode)
        .map(async ({ chain, prices }) => {
          const assets = assetsOf(chain).filter(({ asset }) => isWanted(asked, chain.id, asset))
          // Pegged stablecoins are offered even while the nodes of the chain do not answer.
          const known = assets.every(({ peg }) => peg === asked.currency) ? new Map() : await prices.read()
          return assets.flatMap(asset => quoteOf(chain, asset, asked, known, clock.now()) ?? [])
        })
      return (await Promise.all(offered)).flat()
    },
  }
}

/**
 * Whether the feeds of the chain are sufficient to price the asset in the currency, while their prices are accepted.
 */
export const canPrice = (chain: Chain, symbol: string, currency: string): boolean => {
  const asset = assetsOf(chain).find(({ asset }) => asset === symbol)
  const known = new Map(feedsOf(chain).map(({ pair }) => [pair, atPar]))
  return asset !== undefined && (asset.peg === currency || priceOf(chain, asset, currency, known) !== undefined)
}

type Asset = Omit<Token, 'address'> & { readonly address: string | null }

const assetsOf = (chain: Chain): readonly Asset[] => [...chain.tokens, nativeOf(chain)]

const nativeOf = ({ native: { asset, decimals } }: Chain): Asset => ({ asset, address: null, decimals, peg: null })

const isWanted = ({ assets }: QuoteRequest, chainId: number, asset: string) =>
  assets === null || assets.some(wanted => wanted.chainId === chainId && wanted.asset === asset)

const quoteOf = (chain: Chain, asset: Asset, asked: QuoteRequest, known: ChainPrices, now: Date): Quote | undefined => {
  const pegged = asset.peg === asked.currency
  const priced = pegged ? { price: atPar, pairs: [] } : priceOf(chain, asset, asked.currency, known)
  const amount = priced && quotedAmount(asked, priced.price, asset.decimals)
  if (!priced || amount === undefined) return undefined
  return {
    chainId: chain.id,
    network: chain.network,
    asset: asset.asset,
    tokenAddress: asset.address,
    decimals: asset.decimals,
    amount,
    pegged,
    rate: pegged ? null : rateOf(priced.price),
    source: pegged ? null : `chainlink ${priced.pairs.join(', ')}`,
    expiresAt: pegged ? null : new Date(Math.min(now.getTime() + MAX_QUOTE_MS, asked.until.getTime())),
  }
}

/**
 * As long as the default payment window, so that money can arrive after its price has expired only in longer windows.
 */
const MAX_QUOTE_MS = 30 * 60_000

type Priced = { readonly price: Price; readonly pairs: readonly string[] }

/**
 * The price of one unit of the asset in the currency. Where the feed or peg has another currency, it is converted
 * through USD.
 */
const priceOf = ({ native }: Chain, asset: Asset, currency: string, known: ChainPrices): Priced | undefined => {
  const nativePair = asset.address === null ? native.feed?.pair : undefined
  const own = nativePair === undefined ? { price: atPar, pairs: [] } : pricedBy(nativePair, known)
  const named = nativePair === undefined ? asset.peg : nativePair.split(' / ')[1]
  if (!own || !named) return undefined
  if (named === currency) return own
  const [from, into] = [inDollars(named, known), inDollars(currency, known)]
  if (!from || !into) return undefined
  return { price: times(own.price, from.price, into.price), pairs: [own, from, into].flatMap(({ pairs }) => pairs) }
}

const inDollars = (currency: string, known: ChainPrices): Priced | undefined =>
  currency === 'USD' ? { price: atPar, pairs: [] } : pricedBy(`${currency} / USD`, known)

const pricedBy = (pair: string, known: ChainPrices): Priced | undefined => {
  const price = known.get(pair)
  return price && { price, pairs: [pair] }
}

const times = (a: Price, b: Price, per: Price): Price => ({
  numerator: a.numerator * b.numerator * per.denominator,
  denominator: a.denominator * b.denominator * per.numerator,
})
