import { notWellFormed, readAddress, readBigint, readHash, readNumber, readRecord } from './hex.ts'
import { type EventLog, readLogs } from './log.ts'
import { type RpcCall, RpcFault } from './rpc.ts'

export type Receipt = {
  readonly transactionHash: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly transactionIndex: number
  readonly from: string
  readonly to: string | null
  readonly status: 'success' | 'reverted'
  readonly gasUsed: bigint
  readonly logs: readonly EventLog[]
}

/** Undefined where the node has no receipt. All its logs must be of the same transaction and block. */
export const findReceipt = (answer: unknown, transactionHash: string): Receipt | undefined => {
  if (answer === null) return undefined
  const receipt = readReceipt(answer)
  if (receipt.transactionHash !== transactionHash) throw new RpcFault('garbage', 'not the requested receipt')
  for (const log of receipt.logs)
    if (log.transactionHash !== transactionHash || log.blockHash !== receipt.blockHash)
      throw new RpcFault('garbage', 'a receipt contains a log of another transaction')
  return receipt
}

const readReceipt = (answer: unknown): Receipt => {
  const receipt = readRecord(answer, 'a receipt')
  return {
    transactionHash: readHash(receipt.transactionHash, 'transactionHash'),
    blockNumber: readNumber(receipt.blockNumber, 'blockNumber'),
    blockHash: readHash(receipt.blockHash, 'blockHash'),
    transactionIndex: readNumber(receipt.transactionIndex, 'transactionIndex'),
    from: readAddress(receipt.from, 'from'),
    to: receipt.to === null || receipt.to === undefined ? null : readAddress(receipt.to, 'to'),
    status: readStatus(receipt.status),
    gasUsed: readBigint(receipt.gasUsed, 'gasUsed'),
    logs: readLogs(receipt.logs),
  }
}

const readStatus = (value: unknown): Receipt['status'] => {
  if (value === '0x1') return 'success'
  return value === '0x0' ? 'reverted' : notWellFormed('status')
}

export const receiptCall = (hash: string): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] })
