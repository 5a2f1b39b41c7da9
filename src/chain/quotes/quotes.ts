import type { Dependencies } from '../../dependencies.ts'
import type { Chain, Token } from '../chain.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { atPar, type Money, type Price, quotedAmount, rateOf } from './amount.ts'
import { type NetworkFee, openNetworkFees } from './network-fees.ts'
import { type ChainPrices, type FeedState, openPrices } from './prices.ts'
import { type FeedNodes, feedsOf } from './read-feeds.ts'

/** What a payment costs in one asset. */
export type Quote = {
  readonly chainId: number
  readonly network: string
  readonly asset: string
  /** Null for the chain's own coin. */
  readonly tokenAddress: string | null
  readonly decimals: number
  /** In atomic units. */
  readonly amount: bigint
  /** A stablecoin of the payment's own currency, at par: no rate, and it never expires. */
  readonly pegged: boolean
  /** What one of the asset is worth in the payment's currency, for people to read. */
  readonly rate: string | null
  readonly source: string | null
  readonly expiresAt: Date | null
}

export type QuoteRequest = Money & {
  readonly livemode: boolean
  /** The end of the payment's window. */
  readonly until: Date
  /** Null: every asset there is. */
  readonly assets: readonly { readonly chainId: number; readonly asset: string }[] | null
}

export type FeeRequest = { readonly chainIds: readonly number[]; readonly currency: string }

export type Quotes = {
  /** Estimated fees of a transfer on these chains. A chain is left out while its gas price or its prices are not known. */
  networkFees(asked: FeeRequest): Promise<ReadonlyMap<number, NetworkFee>>
  /** One for each asset that has a price now; the others are left out. */
  offer(asked: QuoteRequest): Promise<readonly Quote[]>
  /** What became of every aggregator at its last reading; where that was no good another one begins. */
  feeds(): readonly FeedState[]
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
    feeds: () => opened.flatMap(({ prices }) => prices.states()),
    offer: async asked => {
      if (asked.until <= clock.now()) return []
      const offered = opened
        .filter(({ chain }) => chain.livemode === asked.livemode)
        .map(async ({ chain, prices }) => {
          const assets = assetsOf(chain).filter(({ asset }) => isWanted(asked, chain.id, asset))
          // Stablecoins at par are offered whatever the chain's node is up to.
          const known = assets.every(({ peg }) => peg === asked.currency) ? new Map() : await prices.read()
          return assets.flatMap(asset => quoteOf(chain, asset, asked, known, clock.now()) ?? [])
        })
      return (await Promise.all(offered)).flat()
    },
  }
}

/** Whether the chain's aggregators can tell what the asset costs in the currency, when they can be believed. */
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
    expiresAt: pegged ? null : new Date(Math.min(now.getTime() + longestMs, asked.until.getTime())),
  }
}

/** As long as the usual window, so that only in a longer one money can come after its price. */
const longestMs = 30 * 60_000

type Priced = { readonly price: Price; readonly pairs: readonly string[] }

/** What one of the asset is worth in the currency. Where another is named for it, by way of the dollar. */
const priceOf = ({ native }: Chain, asset: Asset, currency: string, known: ChainPrices): Priced | undefined => {
  const coin = asset.address === null ? native.feed?.pair : undefined
  const own = coin === undefined ? { price: atPar, pairs: [] } : pricedBy(coin, known)
  const named = coin === undefined ? asset.peg : coin.split(' / ')[1]
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
