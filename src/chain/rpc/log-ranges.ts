import { openBatchSizer } from './batch-sizer.ts'
import { type BlockHeader, blockCall, readHeader } from './block.ts'
import { type EventLog, type LogFilter, logsCall, type Range, readLogs } from './log.ts'
import {
  type BatchOptions,
  isRateLimit,
  isTooLarge,
  mayBeTooLarge,
  type RpcAnswer,
  type RpcCall,
  RpcFault,
  resultOf,
} from './rpc.ts'

/** The logs of one range, and the header of its last block. */
export type LogRange = Range & { readonly logs: readonly EventLog[]; readonly end: BlockHeader }

/** Reads from one node, or what several agree on. */
export type AskRange = (
  calls: readonly RpcCall[],
  read: (answers: readonly RpcAnswer[]) => LogRange,
  options?: BatchOptions,
) => Promise<LogRange>

/** Reads the logs of a block that nodes refuse to list in one answer. */
export type AskCrowded = (block: number, filter: LogFilter, options?: BatchOptions) => Promise<readonly EventLog[]>

/**
 * Reads the logs of a range in as many parts as the nodes require, in order and without a gap. Errors are thrown. A
 * part that was refused or too large is halved, down to one block; the size is kept between calls. A single block that
 * is refused is read by `askCrowded`.
 * This function does not detect logs that a node leaves out. It only checks that the node has the last block.
 */
export const openLogRanges = (ask: AskRange, askCrowded?: AskCrowded) => {
  const sizer = openBatchSizer()

  return async function* (
    { fromBlock, toBlock }: Range,
    filter: LogFilter,
    options?: BatchOptions,
  ): AsyncGenerator<LogRange, void, undefined> {
    for (let from = fromBlock; from <= toBlock; ) {
      const blocks = sizer.sizeFor(toBlock - from + 1)
      const part = { fromBlock: from, toBlock: from + blocks - 1 }
      let range: LogRange
      try {
        const calls = [blockCall(part.toBlock), logsCall(part, filter)]
        range = await ask(calls, answers => readRange(answers, part, filter), options)
      } catch (error) {
        if (mayBeTooLarge(error) && !isRateLimit(error)) sizer.refused(blocks)
        // A range that failed otherwise (a timeout, for example) is thrown, and smaller at the next call: only the
        // caller knows whether this is an outage.
        if (!isTooLarge(error) || (blocks === 1 && !askCrowded)) throw error
        if (blocks > 1 || !askCrowded) continue
        const logs = await askCrowded(from, filter, options)
        range = await ask([blockCall(from)], ([block]) => rangeOf(part, logs, block), options)
      }
      sizer.succeeded(blocks)
      from = part.toBlock + 1
      yield range
    }
  }
}

/** All logs of a range, joined from its parts. */
export const joined = async (parts: AsyncIterable<LogRange>): Promise<readonly EventLog[]> => {
  const logs: EventLog[] = []
  for await (const part of parts) logs.push(...part.logs)
  return logs
}

/**
 * A node that is behind answers with no logs and no error. Only the header of the last block shows that the node has
 * reached it.
 */
const readRange = ([block, found]: readonly RpcAnswer[], range: Range, filter: LogFilter): LogRange =>
  rangeOf(range, readLogs(resultOf(found), filter), block)

const rangeOf = (range: Range, logs: readonly EventLog[], block: RpcAnswer): LogRange => {
  const end = readHeader(resultOf(block), { number: range.toBlock })
  for (const log of logs) {
    if (log.blockNumber < range.fromBlock || log.blockNumber > range.toBlock)
      throw new RpcFault('garbage', 'a log outside the range')
    if (log.blockNumber === end.number && log.blockHash !== end.hash)
      throw new RpcFault('garbage', 'a log of another block')
  }
  return { ...range, logs, end }
}
