import type { Block, Cursor, TransferLog } from '../chain-log.ts'
import type { ArrivalSource } from './arrivals.ts'
import type { CoinSource } from './coins/source.ts'
import type { RangeSource } from './ranges.ts'
import type { TokenRiseSource } from './token-rise.ts'

export type WatchedHeader = Block & {
  readonly parentHash: string
  /** Whether the block may hold a log of this address and topic; false is certain. */
  mayHold(address: string, topic: string): boolean
}

/** Both numbers are of blocks that are read. */
export type BlockStride = {
  /** Where the next part ends that begins at this block, up to that one. */
  upTo(from: number, to: number): number
  refused(from: number, to: number): void
  went(from: number, to: number): void
}

/** What a chain is asked. Every method throws rather than answer what it cannot vouch for. */
export type ChainSource = RangeSource &
  ArrivalSource &
  TokenRiseSource & {
    /** There is no other node that could be asked: what it tells is all there is to know. */
    readonly isAlone: boolean
    head(): Promise<number>
    /** The head, and the hash of the block at the place of this one; undefined where the node knows none. */
    look(at: Cursor): Promise<{ readonly head: number; readonly hash: string | undefined }>
    /** Up to which block the chain says itself that it is final, as two nodes agree. May be some polls old. */
    finalized(): Promise<number>
    /** The head that two nodes have got to, the lower one of theirs. */
    reached(): Promise<number>
    /** The block of this number, as two nodes agree; undefined while they do not. */
    agreedBlock(number: number): Promise<Block | undefined>
    /** How many blocks are read at once, found by trying. */
    readonly stride: BlockStride
    /** One for each number; undefined where the node knows no such block. */
    headers(numbers: readonly number[]): Promise<readonly (WatchedHeader | undefined)[]>
    /** Transfers of these tokens in blocks of the chain as it is now. */
    transfers(from: number, to: number): Promise<readonly TransferLog[]>
    /** Of one block, wherever it stands; undefined when the node does not know it. */
    transfersIn(blockHash: string): Promise<readonly TransferLog[] | undefined>
    /** Of blocks that follow each other, as two nodes agree on all of them; undefined while they do not, or have others. */
    agreedTransfers(blocks: readonly Cursor[]): Promise<readonly TransferLog[] | undefined>
    /** Holds it against a node when it has another block in the place of this one, which is final. */
    shun(final: Cursor): Promise<void>
    /** Of one block, as two nodes agree; undefined while they do not, or do not know it. */
    agreedTransfersIn(blockHash: string): Promise<readonly TransferLog[] | undefined>
    readonly coins: CoinSource
  }

export type WatchedChain = {
  readonly id: number
  /** Lower case. */
  readonly tokens: readonly string[]
  /** Those of them whose issuer this service does not know: what their logs say is compared with their balances. */
  readonly uncheckedTokens?: readonly string[]
  /** A block is final when so many, itself included, stand on it. */
  readonly confirmations: number
  /** What is final the chain says itself, under its `finalized` tag; the number is about how many that takes. */
  readonly saysFinal?: boolean
  /** Of a test net nothing is told to live payments. */
  readonly livemode?: boolean
}
