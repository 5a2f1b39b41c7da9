/**
 * The block up to which a chain has been read. A write names the cursor that it continues from, and is refused when the
 * stored cursor is another one.
 */
export type Cursor = { readonly number: number; readonly hash: string }

export type Block = { readonly number: number; readonly hash: string; readonly minedAt: Date }

/** A transfer to any address: a token transfer from a log, or native currency (see native/source.ts). */
export type TransferLog = {
  readonly txHash: string
  readonly logIndex: number
  readonly blockNumber: number
  readonly blockHash: string
  /** Null: native currency. */
  readonly token: string | null
  /** Null where the sender is not known. */
  readonly from: string | null
  readonly to: string
  readonly amount: bigint
}
