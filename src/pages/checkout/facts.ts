import type { Payment } from '../../../machines/payment-events.ts'
import type { PaymentLink } from '../../../machines/payment-link.ts'
import type { Actor } from '../../actors/kind.ts'
import type { PaymentTransfer } from '../../records/payment.ts'
import type { Locale } from '../../web/text/locale.ts'

/** The merchant as its customers see it. */
export type ShopFace = {
  readonly name: string
  readonly logoUrl: string | null
  readonly accentColor: string | null
  readonly supportEmail: string | null
  readonly supportUrl: string | null
}

export type AssetName = { readonly chainId: number; readonly asset: string }

/** An asset that the link accepts, with its amount. `amount` is null while it cannot be paid with. */
export type PayOption = AssetName & {
  readonly network: string
  readonly decimals: number
  readonly isNative: boolean
  /** A stablecoin of the link's currency. These come first. */
  readonly isPar: boolean
  readonly amount: bigint | null
  /** In minor units of the link's currency, an estimate; null if it is not known. */
  readonly networkFeeMinor: number | null
}

/** The network of a payment. */
export type PayNetwork = {
  readonly chainId: number
  readonly network: string
  /** Its own currency, in which fees are paid. */
  readonly native: string
  readonly blockMs: number
  readonly explorerUrl: string | null
  readonly isSandbox: boolean
}

/** Money at the address of a payment, in another asset or on another network than the payment is due in. */
export type StrayMoney = {
  readonly amount: bigint
  /** Null if the asset is not configured on this server. */
  readonly asset: string | null
  readonly decimals: number
  readonly isNative: boolean
  readonly network: string | null
  readonly isOtherChain: boolean
  readonly txHash: string | null
  readonly explorerUrl: string | null
}

export type PaymentFacts = {
  readonly id: string
  readonly payment: Actor<Payment>
  /** Null until an asset is picked. */
  readonly network: PayNetwork | null
  readonly transfers: readonly PaymentTransfer[]
  readonly confirmations: number
  /** The transaction that completed the amount. */
  readonly txHash: string | null
  readonly strays: readonly StrayMoney[]
  /** The latest transaction that was submitted for the payment. */
  readonly submitted: string | null
  /** When the payment succeeded. */
  readonly completedAt: Date | null
  readonly receiptUrl: string | null
  /** Identifies the state that is shown, for the event stream. */
  readonly eventId: string
}

/** The invoice that a payment pays. */
export type PaidInvoice = {
  readonly number: string
  /** The path of its page, with its token. Undefined on receipts, which may be shown to others. */
  readonly path?: string
  readonly isVoid: boolean
  /** The state of the invoice that the page shows. */
  readonly rev: number
  /** What is due and not being paid by another payment. */
  readonly payableMinor: number
  /** Credit notes have reduced what was due. */
  readonly isCredited: boolean
}

/** A network in trouble, by chain ID. `since` is null if it is not known. */
export type ChainTroubles = ReadonlyMap<number, { readonly since: Date | null }>

/** Everything that a checkout page depends on. */
export type CheckoutFacts = {
  /** Undefined: neither the link nor a payment of it is known to the caller. */
  readonly link: Actor<PaymentLink> | undefined
  readonly shop: ShopFace
  /** Whether the link takes another payment now. */
  readonly isOpen: boolean
  /** In the order in which they are shown. */
  readonly options: readonly PayOption[]
  readonly troubles: ChainTroubles
  readonly payment: PaymentFacts | null
  /** Undefined for a payment of a payment link. */
  readonly invoice?: PaidInvoice | undefined
  readonly now: Date
  readonly locale: Locale
}
