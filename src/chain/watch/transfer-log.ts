import type { TransferLog } from '../chain-log.ts'
import type { EventLog } from '../rpc/log.ts'

/** The topic of the ERC-20 event `Transfer(address,address,uint256)`. */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export type TokenTransfer = Pick<TransferLog, 'to' | 'amount'> & { readonly token: string; readonly from: string }

/**
 * The token transfer of a log, also of amount 0. Undefined for other events, such as the NFT event with the same topic.
 */
export const tokenTransferIn = ({ address: token, topics, data }: EventLog): TokenTransfer | undefined => {
  const [event, from, to] = topics
  if (event !== TRANSFER || from === undefined || to === undefined || topics.length !== 3) return undefined
  return data.length === 66 ? { token, from: addressIn(from), to: addressIn(to), amount: BigInt(data) } : undefined
}

/** Undefined for other events and for transfers of amount 0. */
export const transferLogOf = (log: EventLog): TransferLog | undefined => {
  const moved = tokenTransferIn(log)
  if (!moved || moved.amount === 0n) return undefined
  const { transactionHash: txHash, logIndex, blockNumber, blockHash } = log
  return { txHash, logIndex, blockNumber, blockHash, ...moved }
}

const addressIn = (topic: string): string => `0x${topic.slice(26)}`

/** The address as a log topic. */
export const topicOf = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`
