import type { Hex } from 'viem'
import { requireAddress } from '../chain/address.ts'
import type { Chain } from '../chain/chain.ts'
import { confirmationsOf } from '../chain/enabled/chains.ts'
import type { Chains, ConnectedChain } from '../chain/enabled/connect.ts'
import { sandboxId } from '../chain/known/sandbox.ts'
import { canPrice, type Quote } from '../chain/quotes/quotes.ts'
import { refuse } from '../errors.ts'
import type { Terms, VisitedLink } from '../queries/checkouts.ts'
import { sandboxTreasury } from '../sandbox/treasury.ts'

export type AssetChoice = { readonly chainId: number; readonly asset: string }

/** A quote with the estimated network fee of the transfer, in minor units; null if it is not known. */
export type ListedOffer = Quote & { readonly networkFeeMinor: number | null }

/**
 * The assets that a customer can pay with now, with their prices. Assets without a price are left out. Assets at par with
 * the currency of the link come first, then those with the lowest network fee.
 */
export const listOffers = async (
  chains: Chains,
  visited: VisitedLink,
  until: Date,
): Promise<readonly ListedOffer[]> => {
  const assets = payableAssets(chains, visited).filter(({ chainId }) => !isStopped(visited, chainId))
  const [quotes, fees] = await Promise.all([
    quote(chains, visited, assets, until),
    chains.quotes.networkFees({
      chainIds: assets.map(({ chainId }) => chainId),
      currency: visited.link.context.currency,
    }),
  ])
  return quotes
    .map(each => ({
      ...each,
      networkFeeMinor: fees.get(each.chainId)?.[each.tokenAddress === null ? 'native' : 'token'] ?? null,
    }))
    .sort((a, b) => Number(b.pegged) - Number(a.pegged) || feeOf(a) - feeOf(b))
}

/** Not infinity: the difference of two infinities is not a number. */
const feeOf = ({ networkFeeMinor }: ListedOffer): number => networkFeeMinor ?? Number.MAX_SAFE_INTEGER

/** The amount due in an asset, and what is needed to receive it. */
export type Offer = {
  readonly connected: ConnectedChain
  readonly quote: Quote
  readonly treasury: Hex
  readonly confirmations: number
}

export const getOffer = async (
  chains: Chains,
  visited: VisitedLink,
  { chainId, asset }: AssetChoice,
  until: Date,
): Promise<Offer> => {
  const isAsked = (each: AssetChoice) => each.chainId === chainId && each.asset === asset
  const connected = chains.find(chainId)
  if (!connected || !payableAssets(chains, visited).some(isAsked))
    return refuse('unsupported_asset', { param: 'asset' })
  if (isStopped(visited, chainId)) return refuse('chain_unavailable', { param: 'asset', retryAfter: RETRY_S })
  const [found] = await quote(chains, visited, [{ chainId, asset }], until)
  if (!found) return refuse('rate_unavailable', { param: 'asset', retryAfter: RETRY_S })
  const { terms, link } = visited
  return {
    connected,
    quote: found,
    treasury: treasuryOn(chainId, terms) ?? sandboxTreasury(link.context.merchantId),
    confirmations: Math.max(confirmationsOf(connected.chain), terms.confirmations[chainId] ?? 0),
  }
}

/** By then the prices are read again. */
const RETRY_S = 10

const quote = async (chains: Chains, { link }: VisitedLink, assets: readonly AssetChoice[], until: Date) => {
  const { livemode, amountMinor, currency } = link.context
  return assets.length === 0 ? [] : chains.quotes.offer({ livemode, amountMinor, currency, until, assets })
}

/** The assets that the link accepts and that have a price feed, on chains with a receiving address of the merchant. */
export const payableAssets = (chains: Chains, { link, terms }: VisitedLink): readonly AssetChoice[] => {
  const { livemode, assets: wanted, currency } = link.context
  return chains.all
    .filter(({ chain }) => chain.livemode === livemode && hasTreasury(chain, terms))
    .flatMap(({ chain }) =>
      [...chain.tokens, chain.native]
        .filter(({ asset }) => canPrice(chain, asset, currency))
        .map(({ asset }) => ({ chainId: chain.id, asset })),
    )
    .filter(({ chainId, asset }) => wanted?.some(each => each.chainId === chainId && each.asset === asset) ?? true)
}

/** The server does not read a stopped chain, so it would not see a payment there. */
const isStopped = ({ stoppedChains }: VisitedLink, chainId: number) => stoppedChains.includes(chainId)

const hasTreasury = ({ id }: Chain, terms: Terms): boolean => id === sandboxId || treasuryOn(id, terms) !== undefined

const treasuryOn = (chainId: number, terms: Terms): Hex | undefined => {
  const address = terms.receiving_addresses[chainId] ?? terms.receiving_address
  return address === null ? undefined : requireAddress(address)
}
