import { readAddress, readBytes, readHash, readList, readNumber, readRecord, toQuantity } from './hex.ts'
import { type RpcCall, RpcFault } from './rpc.ts'

export type EventLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly transactionHash: string
  readonly transactionIndex: number
  readonly logIndex: number
}

/** A filter of `eth_getLogs`. Each position of the topics holds one topic, a list of alternatives, or null for any. */
export type LogFilter = {
  readonly addresses: readonly string[]
  readonly topics: readonly (string | readonly string[] | null)[]
}

export type Range = { readonly fromBlock: number; readonly toBlock: number }

/** Requests the logs of a range of blocks, both ends included. */
export const logsCall = ({ fromBlock, toBlock }: Range, { addresses, topics }: LogFilter): RpcCall => ({
  method: 'eth_getLogs',
  params: [
    {
      fromBlock: toQuantity(fromBlock),
      toBlock: toQuantity(toBlock),
      ...(addresses.length > 0 && { address: addresses }),
      topics,
    },
  ],
})

/**
 * Requests the logs of one block by its hash, also of a block that is not part of the chain. A node that does not know
 * the block refuses.
 */
export const blockLogsCall = (blockHash: string, { addresses, topics }: LogFilter): RpcCall => ({
  method: 'eth_getLogs',
  params: [{ blockHash, ...(addresses.length > 0 && { address: addresses }), topics }],
})

/**
 * Parses logs and sorts them in chain order. The whole answer is a fault when a log does not match the filter, occurs
 * twice, is marked as removed, or names another hash for the same block number: such an answer mixes two forks.
 */
export const readLogs = (answer: unknown, filter?: LogFilter): readonly EventLog[] => {
  const logs = readList(answer, 'logs').map(readLog)
  logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  for (const [at, log] of logs.entries()) {
    const before = logs[at - 1]
    if (before && before.blockNumber === log.blockNumber) {
      if (before.logIndex === log.logIndex) throw new RpcFault('garbage', 'a duplicate log')
      if (before.blockHash !== log.blockHash) throw new RpcFault('garbage', 'two blocks with one number')
    }
  }
  if (filter && !logs.every(matcherOf(filter))) throw new RpcFault('garbage', 'a log that does not match the filter')
  return logs
}

const readLog = (answer: unknown): EventLog => {
  const log = readRecord(answer, 'a log')
  if (log.removed === true) throw new RpcFault('garbage', 'a removed log')
  const topics = readList(log.topics, 'topics')
  if (topics.length > 4) throw new RpcFault('garbage', 'more than four topics')
  return {
    address: readAddress(log.address, 'address'),
    topics: topics.map(topic => readHash(topic, 'topic')),
    data: readBytes(log.data, 'data'),
    blockNumber: readNumber(log.blockNumber, 'blockNumber'),
    blockHash: readHash(log.blockHash, 'blockHash'),
    transactionHash: readHash(log.transactionHash, 'transactionHash'),
    transactionIndex: readNumber(log.transactionIndex, 'transactionIndex'),
    logIndex: readNumber(log.logIndex, 'logIndex', 2 ** 31 - 1),
  }
}

export const matcherOf = ({ addresses, topics }: LogFilter) => {
  const contracts = new Set(addresses)
  const places = topics.map(topic => (topic === null ? null : new Set(typeof topic === 'string' ? [topic] : topic)))
  return (log: EventLog): boolean =>
    (contracts.size === 0 || contracts.has(log.address)) &&
    places.every((wanted, at) => wanted === null || wanted.has(log.topics[at] ?? ''))
}
