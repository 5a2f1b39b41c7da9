import { checksummedOrNull } from '../chain/checksum.ts'
import type { ListedOffer } from '../commands/checkout-offers.ts'
import { encodeId } from '../ids.ts'
import type { VisitedLink } from '../queries/checkouts.ts'

/** The fields of a payment link that customers can see. `status`: the current status. */
export const checkoutLink = ({ link, terms }: VisitedLink, status: string) => ({
  id: encodeId('plink', link.id),
  merchantName: terms.name,
  title: link.context.title,
  description: link.context.description,
  amountMinor: link.context.amountMinor,
  currency: link.context.currency,
  status,
})

/** An asset that the customer can pay with. */
export const checkoutOption = (quote: ListedOffer) => ({
  chainId: quote.chainId,
  network: quote.network,
  asset: quote.asset,
  decimals: quote.decimals,
  tokenAddress: checksummedOrNull(quote.tokenAddress),
  amount: String(quote.amount),
  networkFeeMinor: quote.networkFeeMinor,
  quoteExpiresAt: quote.expiresAt?.toISOString() ?? null,
})
