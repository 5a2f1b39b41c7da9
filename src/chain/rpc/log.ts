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

/** What logs are asked for. At each place of the topics: one, any of several, or whatever there is. */
export type LogFilter = {
  readonly addresses: readonly string[]
  readonly topics: readonly (string | readonly string[] | null)[]
}

export type Range = { readonly fromBlock: number; readonly toBlock: number }

/** Asks for the logs from a block on and up to another. */
export const logsIn = ({ fromBlock, toBlock }: Range, { addresses, topics }: LogFilter): RpcCall => ({
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

/** Asks for the logs of one block, wherever it stands: a node that does not know it says so. */
export const logsOf = (blockHash: string, { addresses, topics }: LogFilter): RpcCall => ({
  method: 'eth_getLogs',
  params: [{ blockHash, ...(addresses.length > 0 && { address: addresses }), topics }],
})

/**
 * In the order of the chain. Refused as a whole when one was not asked for, is there twice, was taken
 * back or names another hash for the same block: an answer like that was put together from two chains.
 */
export const readLogs = (answer: unknown, filter?: LogFilter): readonly EventLog[] => {
  const logs = readList(answer, 'logs').map(readLog)
  logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  for (const [at, log] of logs.entries()) {
    const before = logs[at - 1]
    if (before && before.blockNumber === log.blockNumber) {
      if (before.logIndex === log.logIndex) throw new RpcFault('garbage', 'a log twice')
      if (before.blockHash !== log.blockHash) throw new RpcFault('garbage', 'two blocks of one number')
    }
  }
  if (filter && !logs.every(wantedBy(filter))) throw new RpcFault('garbage', 'a log that was not asked for')
  return logs
}

const readLog = (answer: unknown): EventLog => {
  const log = readRecord(answer, 'a log')
  if (log.removed === true) throw new RpcFault('garbage', 'a log that was taken back')
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

export const wantedBy = ({ addresses, topics }: LogFilter) => {
  const contracts = new Set(addresses)
  const places = topics.map(topic => (topic === null ? null : new Set(typeof topic === 'string' ? [topic] : topic)))
  return (log: EventLog): boolean =>
    (contracts.size === 0 || contracts.has(log.address)) &&
    places.every((wanted, at) => wanted === null || wanted.has(log.topics[at] ?? ''))
}
