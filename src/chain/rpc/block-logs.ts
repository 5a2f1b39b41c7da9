import {
  type BlockHeader,
  type BlockSelector,
  blockAt,
  blockWithHash,
  findHeader,
  transactionHashesIn,
} from './block.ts'
import { inParts } from './in-parts.ts'
import { type EventLog, type LogFilter, logsIn, logsOf, readLogs, wantedBy } from './log.ts'
import { findReceipt, receiptOf } from './receipt.ts'
import { answered, type BatchOptions, isTooLarge, type Plain, type RpcAnswer, type RpcCall, RpcFault } from './rpc.ts'

/** Asks one node for a list, or several for one that they agree on. Undefined while they do not. */
export type AskList = <T extends Plain>(
  calls: readonly RpcCall[],
  read: (answers: readonly RpcAnswer[]) => readonly T[],
  options?: BatchOptions,
) => Promise<readonly T[] | undefined>

export type BlockLogsOptions = BatchOptions & {
  /** Other logs are dropped as they arrive, so that they take no memory. */
  readonly keep: (log: EventLog) => boolean
  /** Narrower filters that find the same logs of one contract; undefined where there are none, or too many. */
  readonly narrow?: ((filter: LogFilter) => Promise<readonly LogFilter[] | undefined>) | undefined
}

const RECEIPTS_AT_ONCE = 100
/** A receipt cannot be read in parts. A transaction of 150 million gas can write so many logs. */
const MOST_RECEIPT_BYTES = 64 * 1024 * 1024

/**
 * Reads the logs of one block, whatever the number of logs that one answer may hold: contract by contract where nodes
 * refuse to list all of them, then by narrower filters, and at last from the receipts of the block's transactions, which
 * its gas limits. Throws a fault where the node has another block there, and returns undefined where nodes do not agree.
 */
export const readBlockLogs = async (
  ask: AskList,
  block: BlockSelector,
  filter: LogFilter,
  { keep, narrow = async () => undefined, ...options }: BlockLogsOptions,
): Promise<readonly EventLog[] | undefined> => {
  const byFilter = async (each: LogFilter): Promise<readonly EventLog[] | undefined | 'refused'> => {
    try {
      const calls = [callOf(block), block.hash === undefined ? logsIn(only(block), each) : logsOf(block.hash, each)]
      return await ask(
        calls,
        ([header, logs]) => logsWithin(headerIn(header, block), readLogs(answered(logs), each)).filter(keep),
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
      return transactionHashesIn(answered(answer))
    })
    if (!hashes) return undefined
    const isWanted = wantedBy(filter)
    return inParts([...new Set(hashes)], RECEIPTS_AT_ONCE, part =>
      ask(
        [callOf(block), ...part.map(receiptOf)],
        ([header, ...receipts]) => {
          const { hash } = headerIn(header, block)
          return part.flatMap((each, at) => {
            const receipt = findReceipt(answered(receipts[at]), each)
            if (receipt?.blockHash !== hash) throw new RpcFault('behind', 'a receipt of the block is missing')
            return receipt.logs.filter(log => isWanted(log) && keep(log))
          })
        },
        { ...options, ...(part.length === 1 && { mostBytes: MOST_RECEIPT_BYTES }) },
      ),
    )
  }

  const found = await byFilter(filter)
  return found === 'refused' ? byReceipts() : found
}

const contractsOf = (filter: LogFilter): readonly LogFilter[] =>
  filter.addresses.map(address => ({ ...filter, addresses: [address] }))

const only = ({ number = 0 }: BlockSelector) => ({ fromBlock: number, toBlock: number })

/** By its number where that is known: so a block that was replaced is not found. */
const callOf = ({ number, hash = '' }: BlockSelector): RpcCall =>
  number === undefined ? blockWithHash(hash) : blockAt(number)

const headerIn = (answer: RpcAnswer, { number, hash }: BlockSelector): BlockHeader => {
  const header = findHeader(answered(answer), number === undefined ? {} : { number })
  if (!header || (hash !== undefined && header.hash !== hash)) throw new RpcFault('behind', 'another block is there')
  return header
}

const logsWithin = ({ hash }: BlockHeader, logs: readonly EventLog[]): readonly EventLog[] => {
  if (logs.some(({ blockHash }) => blockHash !== hash)) throw new RpcFault('garbage', 'a log of another block')
  return logs
}
