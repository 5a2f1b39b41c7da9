import type { TransferLog } from '../chain-log.ts'
import type { EventLog } from '../rpc/log.ts'

/** The event that tokens tell of transfers by. */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export type Moved = Pick<TransferLog, 'to' | 'amount'> & { readonly token: string; readonly from: string }

/** What a log says that a token has moved, be it nothing. Undefined for others, as collections raise the same event. */
export const movedBy = ({ address: token, topics, data }: EventLog): Moved | undefined => {
  const [event, from, to] = topics
  if (event !== TRANSFER || from === undefined || to === undefined || topics.length !== 3) return undefined
  return data.length === 66 ? { token, from: addressIn(from), to: addressIn(to), amount: BigInt(data) } : undefined
}

/** Undefined for what moves nothing that could be counted. */
export const transferLogOf = (log: EventLog): TransferLog | undefined => {
  const moved = movedBy(log)
  if (!moved || moved.amount === 0n) return undefined
  const { transactionHash: txHash, logIndex, blockNumber, blockHash } = log
  return { txHash, logIndex, blockNumber, blockHash, ...moved }
}

const addressIn = (topic: string): string => `0x${topic.slice(26)}`

/** How an address stands in a topic. */
export const topicOf = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`
