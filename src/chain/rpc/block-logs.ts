import {
  type BlockHeader,
  type BlockSelector,
  blockByHashCall,
  blockCall,
  findHeader,
  transactionHashesIn,
} from './block.ts'
import { inParts } from './in-parts.ts'
import { blockLogsCall, type EventLog, type LogFilter, logsCall, matcherOf, readLogs } from './log.ts'
import { findReceipt, receiptCall } from './receipt.ts'
import {
  type BatchOptions,
  type Comparable,
  isTooLarge,
  type RpcAnswer,
  type RpcCall,
  RpcFault,
  resultOf,
} from './rpc.ts'

/** Reads a list from one node, or the list that two nodes agree on. Undefined while they do not agree. */
export type AskList = <T extends Comparable>(
  calls: readonly RpcCall[],
  read: (answers: readonly RpcAnswer[]) => readonly T[],
  options?: BatchOptions,
) => Promise<readonly T[] | undefined>

export type BlockLogsOptions = BatchOptions & {
  /** Logs that do not match are dropped on arrival, so that they take no memory. */
  readonly keep: (log: EventLog) => boolean
  /** Narrower filters that find the same logs of one contract; undefined where there are none, or too many. */
  readonly narrow?: ((filter: LogFilter) => Promise<readonly LogFilter[] | undefined>) | undefined
}

const RECEIPTS_AT_ONCE = 100
/** A receipt cannot be read in parts. This is the size of the logs that a transaction of 150 million gas can write. */
const MAX_RECEIPT_BYTES = 64 * 1024 * 1024

/**
 * Reads all logs of one block, although nodes limit the number of logs in an answer: first with the filter as it is,
 * then contract by contract, then with narrower filters, and finally from the receipts of the block's transactions,
 * whose number the gas limit bounds. Throws a fault where the node has another block at that place, and returns
 * undefined where nodes do not agree.
 */
export const readBlockLogs = async (
  ask: AskList,
  block: BlockSelector,
  filter: LogFilter,
  { keep, narrow = async () => undefined, ...options }: BlockLogsOptions,
): Promise<readonly EventLog[] | undefined> => {
  const byFilter = async (each: LogFilter): Promise<readonly EventLog[] | undefined | 'refused'> => {
    try {
      const calls = [
        callOf(block),
        block.hash === undefined ? logsCall(rangeOfOne(block), each) : blockLogsCall(block.hash, each),
      ]
      return await ask(
        calls,
        ([header, logs]) => logsWithin(headerIn(header, block), readLogs(resultOf(logs), each)).filter(keep),
        options,
      )
    } catch (error) {
      if (!isTooLarge(error)) throw error
    }
    const filters = each.addresses.length > 1 ? contractsOf(each) : await narrow(each)
    if (!filters) return 'refused'
    const found: EventLog[] = []
    for (const narrower of filters) {
      const logs = await byFilter(narrower)
      if (!logs || logs === 'refused') return logs
      found.push(...logs)
    }
    return found
  }

  const byReceipts = async (): Promise<readonly EventLog[] | undefined> => {
    const hashes = await ask([callOf(block)], ([answer]) => {
      headerIn(answer, block)
      return transactionHashesIn(resultOf(answer))
    })
    if (!hashes) return undefined
    const isWanted = matcherOf(filter)
    return inParts([...new Set(hashes)], RECEIPTS_AT_ONCE, part =>
      ask(
        [callOf(block), ...part.map(receiptCall)],
        ([header, ...receipts]) => {
          const { hash } = headerIn(header, block)
          return part.flatMap((each, at) => {
            const receipt = findReceipt(resultOf(receipts[at]), each)
            if (receipt?.blockHash !== hash) throw new RpcFault('behind', 'a receipt of the block is missing')
            return receipt.logs.filter(log => isWanted(log) && keep(log))
          })
        },
        { ...options, ...(part.length === 1 && { maxBytes: MAX_RECEIPT_BYTES }) },
      ),
    )
  }

  const found = await byFilter(filter)
  return found === 'refused' ? byReceipts() : found
}

const contractsOf = (filter: LogFilter): readonly LogFilter[] =>
  filter.addresses.map(address => ({ ...filter, addresses: [address] }))

const rangeOfOne = ({ number = 0 }: BlockSelector) => ({ fromBlock: number, toBlock: number })

/** By number where it is known: a block that was reorganized away is then not found. */
const callOf = ({ number, hash = '' }: BlockSelector): RpcCall =>
  number === undefined ? blockByHashCall(hash) : blockCall(number)

const headerIn = (answer: RpcAnswer, { number, hash }: BlockSelector): BlockHeader => {
  const header = findHeader(resultOf(answer), number === undefined ? {} : { number })
  if (!header || (hash !== undefined && header.hash !== hash))
    throw new RpcFault('behind', 'the node has another block')
  return header
}

const logsWithin = ({ hash }: BlockHeader, logs: readonly EventLog[]): readonly EventLog[] => {
  if (logs.some(({ blockHash }) => blockHash !== hash)) throw new RpcFault('garbage', 'a log of another block')
  return logs
}
