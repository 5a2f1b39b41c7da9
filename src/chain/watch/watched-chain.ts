import type { Block, Cursor, TransferLog } from '../chain-log.ts'
import type { ArrivalSource } from './arrivals.ts'
import type { NativeSource } from './native/source.ts'
import type { RangeSource } from './ranges.ts'
import type { TokenRiseSource } from './token-rise.ts'

export type WatchedHeader = Block & {
  readonly parentHash: string
  /** Whether the block may contain a log of this address and topic. False is certain. */
  mayHaveLog(address: string, topic: string): boolean
}

/** Sizes the ranges of blocks that are read. The arguments are block numbers. */
export type RangeSizer = {
  /** The last block of the next part that starts at `from`, at most `to`. */
  endOf(from: number, to: number): number
  refused(from: number, to: number): void
  succeeded(from: number, to: number): void
}

/** Queries to a chain. Every method throws rather than return something that is not certain. */
export type ChainSource = RangeSource &
  ArrivalSource &
  TokenRiseSource & {
    /** The chain has only one node. */
    readonly hasSingleNode: boolean
    head(): Promise<number>
    /** The head, and the hash of the block at the cursor's number; undefined where the node has none. */
    headAndBlock(at: Cursor): Promise<{ readonly head: number; readonly hash: string | undefined }>
    /** The block of the `finalized` tag, as two nodes agree. May be some polls old. */
    finalized(): Promise<number>
    /** The lower head of two nodes. */
    agreedHead(): Promise<number>
    /** The block of this number, as two nodes agree; undefined while they do not. */
    agreedBlock(number: number): Promise<Block | undefined>
    /** How many blocks are read at once, found by trying. */
    readonly rangeSizer: RangeSizer
    /** One header for each number; undefined where the node has no such block. */
    headers(numbers: readonly number[]): Promise<readonly (WatchedHeader | undefined)[]>
    /** Token transfers in these blocks of the current chain. */
    transfers(from: number, to: number): Promise<readonly TransferLog[]>
    /** Token transfers of one block, also of one that is not on the chain; undefined when the node does not have it. */
    transfersIn(blockHash: string): Promise<readonly TransferLog[] | undefined>
    /**
     * Token transfers of consecutive blocks, as two nodes agree; undefined while they do not, or while the blocks are
     * not on the canonical chain.
     */
    agreedTransfers(blocks: readonly Cursor[]): Promise<readonly TransferLog[] | undefined>
    /** Counts a fault of a node that has another block in place of this final one. */
    faultOtherFinal(final: Cursor): Promise<void>
    /** Token transfers of one block, as two nodes agree; undefined while they do not, or do not have it. */
    agreedTransfersIn(blockHash: string): Promise<readonly TransferLog[] | undefined>
    readonly native: NativeSource
  }

export type WatchedChain = {
  readonly id: number
  /** Token addresses in lower case. */
  readonly tokens: readonly string[]
  /** The tokens of CHAINS_FILE, whose contracts this service does not know: their logs are compared with balances. */
  readonly uncheckedTokens?: readonly string[]
  /** A block is final with so many confirmations, itself included. */
  readonly confirmations: number
  /** Finality is the chain's `finalized` tag. `confirmations` is then an estimate. */
  readonly hasFinalizedTag?: boolean
  /** False for a testnet: its transfers never count for live payments. */
  readonly livemode?: boolean
}
