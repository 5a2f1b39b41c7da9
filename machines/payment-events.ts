/**
 * Fixed when the customer opens the checkout. Comes from the payment link, the customer and the merchant's settings.
 */
export type PaymentOpening = {
  merchantId: string
  livemode: boolean
  apiVersion: string
  paymentLinkId: string
  /** The customer of the e-mail address when the payment was opened. It may have been merged into another one since. */
  customerId: string | null
  /** Null: the payment is not for an invoice. */
  invoiceId: string | null
  amountMinor: number
  currency: string
  customerEmail: string
  customerName: string | null
  reference: string | null
  metadata: Record<string, string>
  /** How far below the amount due a sum still counts as enough, in hundredths of a percent. */
  toleranceBps: number
  latePolicy: 'accept_stablecoins' | 'needs_attention'
}

/** The asset that the customer pays with, the deposit address, and the amount due in atomic units. */
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
  /** The end of the window. No timer fires at this time: see `window_over`. */
  expiresAt: Date
  /** The step of the chain cursor at which the sums were read. Sums of an older step are refused. */
  scan: number
  /** The sum that the chain shows now, and its final part. */
  amountReceived: bigint
  amountFinal: bigint
  /** The final part at the payment's own quote, rounded down. This is what can be refunded. */
  receivedMinor: number
  payerAddress: string | null
  /** The hash of the transfer that completed the sum. */
  txHash: string | null
  blockNumber: number | null
  /** Money of another asset, or on another chain, is at the address. */
  stray: Stray | null
  /** How many transfers of that stray money are final. */
  finalStrays: number
  /**
   * The transactions for which `payment.processing` and `payment.underpaid` were sent. Each event is sent once per
   * hash.
   */
  announced: readonly string[]
  /** The address was collected from, and it is not known what it had received. Sets `attention`. */
  collectionUnexplained: boolean
  /** The window was lengthened because a transfer was lost in a reorg. This happens once at most. */
  windowLengthened: boolean
  exception: 'underpaid' | 'overpaid' | 'late' | Stray | null
  failureReason: Mismatch | 'underpaid' | null
  /** A person must decide: `accept` or `dismiss`. */
  attention: boolean
  /** The sum of all refunds that have not failed and were not canceled, including processed ones. */
  refundsReservedMinor: number
  amountRefundedMinor: number
}

/** Final stray money that is accepted instead of the picked asset. `amountExpected` is the price in that asset. */
export type AcceptedAsset = Omit<AssetPick, 'quoteRate' | 'quoteSource' | 'quoteExpiresAt'> &
  Pick<
    Payment,
    'scan' | 'amountReceived' | 'amountFinal' | 'payerAddress' | 'txHash' | 'blockNumber' | 'stray' | 'finalStrays'
  >

export type Stray = 'wrong_asset' | 'wrong_chain'
export type Mismatch = 'reverted' | 'wrong_recipient' | 'amount_mismatch' | Stray

/**
 * Each event leads to one state only, so that its sender knows which event of the payment link belongs in the same
 * bundle. The sender need not check whether the event applies: the guards do.
 */
export type PaymentEvent = { at: Date } & (
  | ({ type: 'asset_picked' } & AssetPick)
  // `amount_seen`: the sum has changed, and the state stays.
  | ({ type: 'enough_seen' | 'too_little_seen' | 'less_seen' | 'reorganized' | 'amount_seen' } & Seen)
  // `amount_finalized`: more of the sum is final, and the state stays.
  | ({ type: 'finalized' | 'late_accepted' | 'late_finalized' | 'amount_finalized' } & Finalized)
  | { type: 'stray_seen'; stray: Stray; finalStrays: number }
  // No stray transfer is canonical any more, and none was final.
  | { type: 'stray_gone' }
  // Final money arrived after the price had expired and before the end of the window.
  | { type: 'price_missed' }
  // The address was collected from, and it is not known what it had received.
  | { type: 'collection_unexplained' }
  // The block of that collection was orphaned.
  | { type: 'collection_gone' }
  | { type: 'submission_failed'; failureReason: Mismatch }
  // Every chain that the payment may use has been read up to `scannedTo`.
  | { type: 'window_over'; scannedTo: Date }
  | { type: 'cancel' | 'dismiss' | 'end_window' }
  // `paidWith`: the stray money that is accepted if no money of the picked asset is final.
  | { type: 'accept'; paidWith?: AcceptedAsset | undefined }
  | { type: 'reserve_refund' | 'release_refund' | 'refund_processed'; amountMinor: number }
)

export type Scan = { chainId: number; asset: string; scan: number }
/** `isForVoidInvoice`: the money becomes credit of the customer, who does not owe it any more. */
export type Finalized = Scan & { amountFinal: bigint; isForVoidInvoice?: boolean }
export type Seen = Scan &
  Pick<Payment, 'amountReceived' | 'payerAddress' | 'txHash' | 'blockNumber'> & {
    /** The time of the last block that contains a transfer of the sum. */
    minedAt: Date | null
    /** A transfer that two nodes had shown (or the only node) is no longer canonical. */
    hasLostAgreed: boolean
  }
