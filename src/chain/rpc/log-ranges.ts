import { type BlockHeader, blockAt, readHeader } from './block.ts'
import { type EventLog, type LogFilter, logsIn, type Range, readLogs } from './log.ts'
import {
  answered,
  type BatchOptions,
  isRateLimit,
  isTooLarge,
  mayBeTooMuch,
  type RpcAnswer,
  type RpcCall,
  RpcFault,
} from './rpc.ts'
import { openStride } from './stride.ts'

/** The logs of one range, and the block at its end. */
export type LogRange = Range & { readonly logs: readonly EventLog[]; readonly end: BlockHeader }

/** Of one node, or of several together. */
export type AskRange = (
  calls: readonly RpcCall[],
  read: (answers: readonly RpcAnswer[]) => LogRange,
  options?: BatchOptions,
) => Promise<LogRange>

/** The logs of a block that nodes refuse to list in one answer. */
export type AskCrowded = (block: number, filter: LogFilter, options?: BatchOptions) => Promise<readonly EventLog[]>

/**
 * Reads the logs of a range in as many parts as the nodes make of it, one after the other and none left
 * out: each part begins where the last one ended, and what fails is thrown. Half is asked when the whole
 * was refused or too large, down to one block; how much goes at once is remembered from call to call.
 * A single block that is refused is read by `askCrowded`.
 * An empty answer is not told from one that lacks logs here, except that the node must have the last block.
 */
export const openLogRanges = (ask: AskRange, askCrowded?: AskCrowded) => {
  const stride = openStride()

  return async function* (
    { fromBlock, toBlock }: Range,
    filter: LogFilter,
    options?: BatchOptions,
  ): AsyncGenerator<LogRange, void, undefined> {
    for (let from = fromBlock; from <= toBlock; ) {
      const blocks = stride.of(toBlock - from + 1)
      const part = { fromBlock: from, toBlock: from + blocks - 1 }
      let range: LogRange
      try {
        const calls = [blockAt(part.toBlock), logsIn(part, filter)]
        range = await ask(calls, answers => readRange(answers, part, filter), options)
      } catch (error) {
        if (mayBeTooMuch(error) && !isRateLimit(error)) stride.refused(blocks)
        // A range that took too long is asked in halves next time, but by a caller who can tell an outage.
        if (!isTooLarge(error) || (blocks === 1 && !askCrowded)) throw error
        if (blocks > 1 || !askCrowded) continue
        const logs = await askCrowded(from, filter, options)
        range = await ask([blockAt(from)], ([block]) => rangeOf(part, logs, block), options)
      }
      stride.went(blocks)
      from = part.toBlock + 1
      yield range
    }
  }
}

/** All logs of a range, whatever parts it was read in. */
export const joined = async (parts: AsyncIterable<LogRange>): Promise<readonly EventLog[]> => {
  const logs: EventLog[] = []
  for await (const part of parts) logs.push(...part.logs)
  return logs
}

/** A node that is behind answers with no logs and no error: only the block at the end shows that it has got there. */
const readRange = ([block, found]: readonly RpcAnswer[], range: Range, filter: LogFilter): LogRange =>
  rangeOf(range, readLogs(answered(found), filter), block)

const rangeOf = (range: Range, logs: readonly EventLog[], block: RpcAnswer): LogRange => {
  const end = readHeader(answered(block), { number: range.toBlock })
  for (const log of logs) {
    if (log.blockNumber < range.fromBlock || log.blockNumber > range.toBlock)
      throw new RpcFault('garbage', 'a log of another range')
    if (log.blockNumber === end.number && log.blockHash !== end.hash)
      throw new RpcFault('garbage', 'a log of another block')
  }
  return { ...range, logs, end }
}
