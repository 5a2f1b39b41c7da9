import type { Block, Cursor, TransferLog } from '../chain-log.ts'
import { openBatchSizer } from '../rpc/batch-sizer.ts'
import { blockCall, isBlock, readHeader } from '../rpc/block.ts'
import { readNumber } from '../rpc/hex.ts'
import { inParts } from '../rpc/in-parts.ts'
import { type LogFilter, logsCall, readLogs } from '../rpc/log.ts'
import { agreedOn, isNodeError, isRateLimit, isTooLarge, type Rpc, RpcFault, resultOf } from '../rpc/rpc.ts'
import { transferLogOf } from './transfer-log.ts'

/** A range of final blocks: its last block, and all transfers in it. */
export type FinalRange = {
  readonly end: Block
  readonly logs: readonly TransferLog[]
  /** Only one node exists, and no second one has confirmed the range. */
  readonly isSingleNode: boolean
}

/** How each node decides that the end of a range is final: by its tag, or by a number of confirmations. */
export type FinalBy = 'finalized' | { readonly confirmations: number }

export type RangeSource = {
  /**
   * Reads the blocks after the cursor up to `to`, or as many of them as fit into a request. Undefined while two nodes
   * do not agree that the cursor is on their chain, that the end is final, and on every transfer.
   */
  finalRange(from: Cursor, to: number, by: FinalBy): Promise<FinalRange | undefined>
  /** The range is incomplete, or may be: reads smaller ranges, and none for a while. */
  rejectRange(from: Cursor, range: FinalRange): void
  /** These blocks with their times, as two nodes agree. */
  agreedBlocks(blocks: readonly Cursor[]): Promise<readonly Block[] | undefined>
}

/** Above this size, the logs of a range cost more than another request. */
const MAX_BLOCKS = 2_000
const MAX_HEADERS = 200
/** After a range failed, blocks are read one by one for so long. */
const PAUSE_MS = 10_000

export const openRanges = (rpc: Rpc, filter: LogFilter): RangeSource => {
  const sizer = openBatchSizer()
  const headers = openBatchSizer()
  let pausedUntil = 0
  const pause = () => {
    pausedUntil = performance.now() + PAUSE_MS
    return undefined
  }

  return {
    finalRange: async (from, upTo, by) => {
      while (performance.now() >= pausedUntil) {
        const blocks = sizer.sizeFor(Math.min(MAX_BLOCKS, upTo - from.number))
        try {
          const range = await askRange(rpc, filter, { from, to: from.number + blocks, by })
          if (!range) return pause()
          sizer.succeeded(blocks)
          return range
        } catch (error) {
          if (!isNodeError(error)) throw error
          if (!isRateLimit(error)) sizer.refused(blocks)
          if (blocks === 1 || !isTooLarge(error)) return pause()
        }
      }
      return undefined
    },
    rejectRange: (from, { end }) => {
      sizer.refused(end.number - from.number)
      pause()
    },
    agreedBlocks: async blocks => {
      try {
        return (await inParts(blocks, MAX_HEADERS, part => askBlocks(rpc, part), headers)) ?? pause()
      } catch (error) {
        if (!isNodeError(error)) throw error
        return pause()
      }
    },
  }
}

type Asked = { readonly from: Cursor; readonly to: number; readonly by: FinalBy }

const askRange = async (rpc: Rpc, filter: LogFilter, { from, to, by }: Asked): Promise<FinalRange | undefined> => {
  const byTag = by === 'finalized'
  const calls = [
    byTag ? blockCall('finalized') : { method: 'eth_blockNumber', params: [] },
    blockCall(from.number),
    blockCall(to),
    logsCall({ fromBlock: from.number + 1, toBlock: to }, filter),
  ]
  const agreement = await rpc.agreed(calls, ([reached, start, last, found]) => {
    const final = byTag
      ? readHeader(resultOf(reached)).number
      : readNumber(resultOf(reached), 'the head') - by.confirmations + 1
    if (final < to) throw new RpcFault('behind')
    if (!isBlock(resultOf(start), from)) return null
    const { hash, timestamp } = readHeader(resultOf(last), { number: to })
    const logs = readLogs(resultOf(found), filter)
    for (const { blockNumber, blockHash } of logs)
      if (blockNumber <= from.number || blockNumber > to || (blockNumber === to && blockHash !== hash))
        throw new RpcFault('garbage', 'a log of another range')
    return { hash, timestamp, logs: logs.flatMap(log => transferLogOf(log) ?? []) }
  })
  const agreed = agreedOn(agreement)
  if (!agreed) return undefined
  const end = { number: to, hash: agreed.hash, minedAt: new Date(agreed.timestamp * 1_000) }
  return { end, logs: agreed.logs, isSingleNode: agreement.nodes.length === 1 }
}

const askBlocks = async (rpc: Rpc, blocks: readonly Cursor[]): Promise<readonly Block[] | undefined> => {
  const agreement = await rpc.agreed(
    blocks.map(({ number }) => blockCall(number)),
    answers =>
      blocks.map(({ number, hash }, at) => {
        const header = readHeader(resultOf(answers[at]), { number })
        return header.hash === hash ? header.timestamp : null
      }),
  )
  const times = agreedOn(agreement)
  if (!times || times.includes(null)) return undefined
  return blocks.map((block, at) => ({ ...block, minedAt: new Date((times[at] ?? 0) * 1_000) }))
}
