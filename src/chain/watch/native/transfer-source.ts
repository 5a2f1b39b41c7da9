import type { Cursor, TransferLog } from '../../chain-log.ts'
import { type FullBlock, findFullBlock, fullBlockCall } from '../../rpc/block.ts'
import { inParts } from '../../rpc/in-parts.ts'
import { readComplete } from '../../rpc/read-complete.ts'
import { findReceipt, receiptCall } from '../../rpc/receipt.ts'
import { agreedOn, type Rpc, type RpcAnswer, resultOf } from '../../rpc/rpc.ts'

/** The log index of a transfer that is the transaction's own value. */
export const BY_TRANSACTION = -1

/** Queries for transactions with a value in native currency. */
export type NativeTransferSource = {
  /** The transactions with a value in these blocks; undefined if they are not on the canonical chain. */
  sentIn(blocks: readonly Cursor[]): Promise<readonly TransferLog[] | undefined>
  /** The transactions that succeeded: one in a block may have failed. Undefined while a receipt is missing. */
  succeeded(sent: readonly TransferLog[]): Promise<readonly TransferLog[] | undefined>
  /**
   * The transfers that two nodes find in their blocks and as succeeded; undefined while they do not agree, or while
   * the blocks are not on the canonical chain.
   */
  agreedSent(sent: readonly TransferLog[]): Promise<readonly TransferLog[] | undefined>
}

/** A busy block with all its transactions is 0.4 MB on the large chains. */
const BLOCKS_AT_ONCE = 16
const MAX_BYTES = 64 * 1024 * 1024
const RECEIPTS_AT_ONCE = 100

export const openNativeTransfers = (rpc: Rpc): NativeTransferSource => ({
  sentIn: blocks =>
    inParts(blocks, BLOCKS_AT_ONCE, part =>
      readComplete(
        rpc,
        part.map(({ number }) => fullBlockCall(number)),
        {
          read: answers => fullBlocks(part, answers)?.flatMap(nativeTransfersOf) ?? null,
          isComplete: sent => sent !== null,
          maxBytes: MAX_BYTES,
        },
      ),
    ),
  succeeded: sent =>
    inParts(sent, RECEIPTS_AT_ONCE, part =>
      readComplete(
        rpc,
        part.map(({ txHash }) => receiptCall(txHash)),
        {
          read: answers => {
            const went = part.map((each, at) => hasSucceeded(each, answers[at]))
            return went.includes(null) ? null : part.filter((_, at) => went[at])
          },
          isComplete: succeeded => succeeded !== null,
        },
      ),
    ),
  agreedSent: sent => {
    const blocks = [...new Map(sent.map(each => [each.blockHash, blockOf(each)])).values()]
    return inParts(blocks, BLOCKS_AT_ONCE, async part => {
      const here = sent.filter(({ blockHash }) => part.some(({ hash }) => hash === blockHash))
      const calls = [
        ...part.map(({ number }) => fullBlockCall(number)),
        ...here.map(({ txHash }) => receiptCall(txHash)),
      ]
      const agreement = await rpc.agreed(
        calls,
        answers => {
          const transfers = fullBlocks(part, answers)?.flatMap(nativeTransfersOf)
          return transfers ? here.map((each, at) => wasSent(each, transfers, answers[part.length + at])) : null
        },
        { maxBytes: MAX_BYTES },
      )
      const was = agreedOn(agreement)
      return !was || was.includes(null) ? null : here.filter((_, at) => was[at])
    })
  },
})

const blockOf = ({ blockNumber, blockHash }: TransferLog): Cursor => ({ number: blockNumber, hash: blockHash })

/** Undefined where the node has another block for one of them. */
const fullBlocks = (blocks: readonly Cursor[], answers: readonly RpcAnswer[]): readonly FullBlock[] | undefined => {
  const found = blocks.flatMap(({ number, hash }, at) => {
    const block = findFullBlock(resultOf(answers[at]), { number })
    return block?.hash === hash ? [block] : []
  })
  return found.length === blocks.length ? found : undefined
}

const nativeTransfersOf = ({ transactions, number, hash }: FullBlock): readonly TransferLog[] =>
  transactions.flatMap(({ hash: txHash, from, to, value }) => {
    if (to === null || value === 0n) return []
    const block = { blockNumber: number, blockHash: hash }
    return [{ txHash, logIndex: BY_TRANSACTION, ...block, token: null, from, to, amount: value }]
  })

/** Null while the receipt is missing: every transaction of a block has one. */
const wasSent = (sent: TransferLog, transfers: readonly TransferLog[], receipt: RpcAnswer): boolean | null => {
  const same = transfers.find(({ txHash }) => txHash === sent.txHash)
  if (!same || same.to !== sent.to || same.amount !== sent.amount) return false
  return hasSucceeded(sent, receipt)
}

const hasSucceeded = ({ txHash, blockHash }: TransferLog, answer: RpcAnswer): boolean | null => {
  const receipt = findReceipt(resultOf(answer), txHash)
  return receipt?.blockHash === blockHash ? receipt.status === 'success' : null
}
