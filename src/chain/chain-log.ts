/** How far a chain has been read. Whoever writes names the block it went on from, and is refused when that is not it. */
export type Cursor = { readonly number: number; readonly hash: string }

export type Block = { readonly number: number; readonly hash: string; readonly minedAt: Date }

/** A transfer to whomever, as a log tells it, or a transaction that carries coins (see coins/source.ts). */
export type TransferLog = {
  readonly txHash: string
  readonly logIndex: number
  readonly blockNumber: number
  readonly blockHash: string
  /** Null: the chain's own coin. */
  readonly token: string | null
  /** Null where nobody says so. */
  readonly from: string | null
  readonly to: string
  readonly amount: bigint
}
