import { findHeader, type Header as NodeHeader } from '../rpc/block.ts'
import { mayHold } from '../rpc/bloom.ts'
import { readNumber, toQuantity } from '../rpc/hex.ts'
import { type Log, type LogFilter, readLogs } from '../rpc/log.ts'
import { openLogRanges } from '../rpc/log-ranges.ts'
import { type Answer, answered, type Call, type Rpc, RpcRefusal } from '../rpc/rpc.ts'
import type { TransferLog } from './books.ts'
import { type ChainSource, type Header, TRANSFER } from './read.ts'

/** A chain as its nodes tell it, of these tokens. */
export const openSource = (rpc: Rpc, tokens: readonly string[]): ChainSource => {
  const filter: LogFilter = { addresses: tokens, topics: [TRANSFER] }
  const ranges = openLogRanges(rpc)
  const inBlock = (blockHash: string): Call => ({
    method: 'eth_getLogs',
    params: [{ blockHash, address: tokens, topics: filter.topics }],
  })

  return {
    head: () =>
      rpc.read([{ method: 'eth_blockNumber', params: [] }], ([head]) => readNumber(answered(head), 'the head')),
    headers: numbers =>
      rpc.read(numbers.map(blockAt), answers =>
        answers.map((answer, n) => headerOf(findHeader(answered(answer), { number: numbers[n] ?? -1 }))),
      ),
    transfers: async (fromBlock, toBlock) => {
      const logs: Log[] = []
      for await (const range of ranges({ fromBlock, toBlock }, filter)) logs.push(...range.logs)
      return logs.flatMap(log => transferOf(log) ?? [])
    },
    transfersIn: hash => unlessRefused(rpc.read([inBlock(hash)], ([logs]) => transfersIn(hash, logs, filter))),
    agreedTransfersIn: async ({ number, hash }) => {
      const agreement = await unlessRefused(
        rpc.agreed([blockAt(number), inBlock(hash)], ([block, logs]) =>
          findHeader(answered(block), { number })?.hash === hash ? transfersIn(hash, logs, filter) : null,
        ),
      )
      return agreement?.outcome === 'agreed' ? (agreement.value ?? undefined) : undefined
    },
  }
}

const blockAt = (number: number): Call => ({ method: 'eth_getBlockByNumber', params: [toQuantity(number), false] })

const headerOf = (header: NodeHeader | undefined): Header | undefined =>
  header && {
    number: header.number,
    hash: header.hash,
    parentHash: header.parentHash,
    minedAt: new Date(header.timestamp * 1_000),
    mayHold: (address, topic) => mayHold(header.logsBloom, address, topic),
  }

const transfersIn = (hash: string, logs: Answer, filter: LogFilter): readonly TransferLog[] =>
  readLogs(answered(logs), filter)
    .filter(({ blockHash }) => blockHash === hash)
    .flatMap(log => transferOf(log) ?? [])

/** A node that says no does not know the block, or no more. */
const unlessRefused = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcRefusal) return undefined
    throw error
  }
}

/** Undefined for what raises the same event and moves nothing that could be counted, as collections and empty transfers do. */
const transferOf = (log: Log): TransferLog | undefined => {
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
