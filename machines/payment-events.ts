/** Fixed when the customer opens the checkout: from the link, the customer and the merchant's settings. */
export type PaymentOpening = {
  merchantId: string
  livemode: boolean
  apiVersion: string
  paymentLinkId: string
  amountMinor: number
  currency: string
  customerEmail: string
  customerName: string | null
  reference: string | null
  metadata: Record<string, string>
  /** How far below the amount due is still enough, in hundredths of a percent. */
  toleranceBps: number
  latePolicy: 'accept_stablecoins' | 'needs_attention'
}

/** What the customer pays with, where to, and how much of it, in atomic units. */
export type AssetPick = {
  chainId: number
  asset: string
  tokenAddress: string | null
  decimals: number
  address: string
  amountExpected: bigint
  confirmationsRequired: number
  /** A stablecoin of the payment's own currency. */
  pegged: boolean
  quoteRate: string | null
  quoteSource: string | null
  quoteExpiresAt: Date | null
}

export type Payment = PaymentOpening & { [Field in keyof AssetPick]: AssetPick[Field] | null } & {
  /** The end of the window. Nothing happens at that moment by itself: see `window_over`. */
  expiresAt: Date
  /** The step of the chain's cursor that the sums are of. Whoever has read an older one is refused. */
  scan: number
  /** What the chain shows now, and the part of it that is final. */
  amountReceived: bigint
  amountFinal: bigint
  /** The final part at the payment's own quote, rounded down: what can be refunded. */
  receivedMinor: number
  payerAddress: string | null
  /** Of the transfer that completed the sum. */
  txHash: string | null
  blockNumber: number | null
  /** Money of another asset, or on another chain, is at the address. */
  stray: Stray | null
  /** How many transfers of that money are final. */
  finalStrays: number
  /** The transactions that `payment.processing` and `payment.underpaid` were sent for: each is sent for once. */
  announced: readonly string[]
  /** Something was collected from its address, and nothing shows what had come: a person was asked to look. */
  collectionUnexplained: boolean
  /** The window was lengthened, because a transfer was lost in a reorganisation. It is lengthened once. */
  windowLengthened: boolean
  exception: 'underpaid' | 'overpaid' | 'late' | Stray | null
  failureReason: Mismatch | 'underpaid' | null
  /** A person must decide: `accept` or `dismiss`. */
  attention: boolean
  /** Of refunds neither failed nor canceled, the processed ones included. */
  refundsReservedMinor: number
  amountRefundedMinor: number
}

/** Final money in another asset than was picked, and what came beside it. `amountExpected`: the price in that asset. */
export type AcceptedAsset = Omit<AssetPick, 'quoteRate' | 'quoteSource' | 'quoteExpiresAt'> &
  Pick<
    Payment,
    'scan' | 'amountReceived' | 'amountFinal' | 'payerAddress' | 'txHash' | 'blockNumber' | 'stray' | 'finalStrays'
  >

export type Stray = 'wrong_asset' | 'wrong_chain'
export type Mismatch = 'reverted' | 'wrong_recipient' | 'amount_mismatch' | Stray

/**
 * An event for each row of the contract's table, leading to one state only, so that its sender knows
 * which event of the payment link belongs into the same bundle. Whether it is true is for the guards to say.
 */
export type PaymentEvent = { at: Date } & (
  | ({ type: 'asset_picked' } & AssetPick)
  // `amount_seen`: something else is seen, and it means the same.
  | ({ type: 'enough_seen' | 'too_little_seen' | 'less_seen' | 'reorganized' | 'amount_seen' } & Seen)
  // `amount_finalized`: more of it is final, and it means the same.
  | ({ type: 'finalized' | 'late_accepted' | 'late_finalized' | 'amount_finalized' } & Finalized)
  | { type: 'stray_seen'; stray: Stray; finalStrays: number }
  // None of it is there any more, and none was final.
  | { type: 'stray_gone' }
  // Money has come after its price and before the end of the window, and is final.
  | { type: 'price_missed' }
  // Something was collected from its address, and nothing shows what had come.
  | { type: 'collection_unexplained' }
  // The block of that collection was removed.
  | { type: 'collection_gone' }
  | { type: 'submission_failed'; failureReason: Mismatch }
  // Every chain that the payment may use has been scanned up to there.
  | { type: 'window_over'; scannedTo: Date }
  | { type: 'cancel' | 'dismiss' | 'end_window' }
  // `paidWith`: of what came in other assets, what is accepted where no money of the picked one is final.
  | { type: 'accept'; paidWith?: AcceptedAsset | undefined }
  | { type: 'reserve_refund' | 'release_refund' | 'refund_processed'; amountMinor: number }
)

export type Scan = { chainId: number; asset: string; scan: number }
export type Finalized = Scan & { amountFinal: bigint }
export type Seen = Scan &
  Pick<Payment, 'amountReceived' | 'payerAddress' | 'txHash' | 'blockNumber'> & {
    /** The time of the last block that holds a transfer of the sum. */
    minedAt: Date | null
    /** A transfer that two nodes had seen (or the only node) is in the chain no more. */
    hasLostAgreed: boolean
  }
