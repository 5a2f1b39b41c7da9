import type { Log } from '../rpc/log.ts'
import type { TransferLog } from './books.ts'

/** Undefined for what raises the same event and moves nothing that could be counted, as collections and empty transfers do. */
export const transferOf = (log: Log): TransferLog | undefined => {
  const [, from, to] = log.topics
  if (from === undefined || to === undefined || log.topics.length !== 3 || log.data.length !== 66) return undefined
  const amount = BigInt(log.data)
  if (amount === 0n) return undefined
  return {
    txHash: log.transactionHash,
    logIndex: log.logIndex,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    token: log.address,
    from: addressIn(from),
    to: addressIn(to),
    amount,
  }
}

const addressIn = (topic: string): string => `0x${topic.slice(26)}`
