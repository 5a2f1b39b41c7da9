import { checksummedOrNull } from '../chain/checksum.ts'
import type { Quote } from '../chain/quotes/quotes.ts'
import { encodeId } from '../ids.ts'
import type { VisitedLink } from '../queries/checkouts.ts'

/** A payment link as its visitors see it, and nothing more. `status`: what it is at this moment. */
export const checkoutLink = ({ link, terms }: VisitedLink, status: string) => ({
  id: encodeId('plink', link.id),
  merchantName: terms.name,
  title: link.context.title,
  description: link.context.description,
  amountMinor: link.context.amountMinor,
  currency: link.context.currency,
  status,
})

/** Something to pay with. */
export const checkoutOption = (quote: Quote) => ({
  chainId: quote.chainId,
  network: quote.network,
  asset: quote.asset,
  decimals: quote.decimals,
  tokenAddress: checksummedOrNull(quote.tokenAddress),
  amount: String(quote.amount),
  quoteExpiresAt: quote.expiresAt?.toISOString() ?? null,
})
