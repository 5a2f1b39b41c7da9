import type { Block, Cursor, TransferLog } from '../chain-log.ts'
import { openBatchSizer } from '../rpc/batch-sizer.ts'
import { blockCall, isBlock, readHeader } from '../rpc/block.ts'
import { readNumber } from '../rpc/hex.ts'
import { inParts } from '../rpc/in-parts.ts'
import { type LogFilter, logsCall, readLogs } from '../rpc/log.ts'
import { agreedOn, isNodeError, isRateLimit, isTooLarge, type Rpc, RpcFault, resultOf } from '../rpc/rpc.ts'
import { transferLogOf } from './transfer-of.ts'

/** Final blocks that follow each other: the last of them, and all transfers in them. */
export type FinalRange = {
  readonly end: Block
  readonly logs: readonly TransferLog[]
  /** There is no other node that says so. */
  readonly alone: boolean
}

/** What makes the end of a range final, as each node says itself: its tag, or so many blocks that stand on it. */
export type FinalBy = 'finalized' | { readonly confirmations: number }

export type RangeSource = {
  /**
   * The blocks behind the cursor and up to this one, or as many of them as go at once. Undefined while two nodes do not
   * say the same of all of it: that the cursor's block is theirs, that the end is final, and every transfer.
   */
  finalRange(from: Cursor, to: number, by: FinalBy): Promise<FinalRange | undefined>
  /** It lacks something, or could not be shown not to: less is asked for at once, and nothing for a while. */
  doubt(from: Cursor, range: FinalRange): void
  /** These very blocks, as two nodes agree on them. */
  agreedBlocks(blocks: readonly Cursor[]): Promise<readonly Block[] | undefined>
}

/** Beyond that, a range costs more in logs than another question. */
const MOST_BLOCKS = 2_000
const MOST_HEADERS = 200
/** For so long blocks are read one by one when a range could not be. */
const REST_MS = 10_000

export const openRanges = (rpc: Rpc, filter: LogFilter): RangeSource => {
  const stride = openBatchSizer()
  const headers = openBatchSizer()
  let restsUntil = 0
  const rest = () => {
    restsUntil = performance.now() + REST_MS
    return undefined
  }

  return {
    finalRange: async (from, upTo, by) => {
      while (performance.now() >= restsUntil) {
        const blocks = stride.sizeFor(Math.min(MOST_BLOCKS, upTo - from.number))
        try {
          const range = await askRange(rpc, filter, { from, to: from.number + blocks, by })
          if (!range) return rest()
          stride.succeeded(blocks)
          return range
        } catch (error) {
          if (!isNodeError(error)) throw error
          if (!isRateLimit(error)) stride.refused(blocks)
          if (blocks === 1 || !isTooLarge(error)) return rest()
        }
      }
      return undefined
    },
    doubt: (from, { end }) => {
      stride.refused(end.number - from.number)
      rest()
    },
    agreedBlocks: async blocks => {
      try {
        return (await inParts(blocks, MOST_HEADERS, part => askBlocks(rpc, part), headers)) ?? rest()
      } catch (error) {
        if (!isNodeError(error)) throw error
        return rest()
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
  const told = agreedOn(agreement)
  if (!told) return undefined
  const end = { number: to, hash: told.hash, minedAt: new Date(told.timestamp * 1_000) }
  return { end, logs: told.logs, alone: agreement.nodes.length === 1 }
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
