import type { VisitedClaim } from '../../queries/refund-claims.ts'
import { formatsOf } from '../../web/text/format.ts'
import type { Locale } from '../../web/text/locale.ts'
import type { ShopFace } from '../checkout/facts.ts'

/** The facts that a page of a claim shows. */
export type ClaimPageFacts = {
  readonly claim: VisitedClaim
  readonly shop: Pick<ShopFace, 'name' | 'logoUrl' | 'accentColor'>
  readonly network: string
  /** Of the chain, if one is known. */
  readonly explorerUrl: string | null
  /** The address of the wallet that pays in the sandbox, if the refund is paid there. */
  readonly sandboxWallet: string | null
  readonly host: string
  readonly locale: Locale
}

/** `1,016.20 TUSD`: the amount of the refund, as the language of the page writes it. */
export const claimAmount = ({
  claim: { refund, decimals },
  locale,
}: Pick<ClaimPageFacts, 'claim' | 'locale'>): string =>
  formatsOf(locale).units(refund.context.amount, { asset: refund.context.asset, decimals })

/** Enough to recognize your own address, not enough to learn the address of someone else. */
export const masked = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`
