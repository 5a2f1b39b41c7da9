import type { Block, Cursor, TransferLog } from '../chain-log.ts'
import { openBatchSizer } from '../rpc/batch-sizer.ts'
import { blockCall, findHeader, isBlock, type BlockHeader as NodeHeader, readHeader } from '../rpc/block.ts'
import type { AskList } from '../rpc/block-logs.ts'
import { mayHaveLog } from '../rpc/bloom.ts'
import { agreedHeight, openFinality } from '../rpc/finality.ts'
import { readNumber } from '../rpc/hex.ts'
import { inParts } from '../rpc/in-parts.ts'
import { type LogFilter, logsCall, readLogs } from '../rpc/log.ts'
import { joined, openLogRanges } from '../rpc/log-ranges.ts'
import { readComplete } from '../rpc/read-complete.ts'
import { agreedOn, isTooLarge, type Rpc, type RpcCall, RpcFault, resultOf } from '../rpc/rpc.ts'
import { zeroAddress } from '../zero.ts'
import { openArrivals } from './arrivals.ts'
import { openCrowdedBlocks } from './crowded-blocks.ts'
import { openNativeSource } from './native/source.ts'
import { openRanges } from './ranges.ts'
import { readAhead } from './read-ahead.ts'
import { openTokenRise } from './token-rise.ts'
import { TRANSFER, transferLogOf } from './transfer-log.ts'
import type { ChainSource, WatchedHeader } from './watched-chain.ts'

export type SourceOptions = {
  /** How long the final block number is cached. */
  readonly finalForMs?: number
  /**
   * All addresses that token transfers are recorded for; undefined where there are too many to name them in a filter.
   */
  readonly recipients?: () => Promise<readonly string[] | undefined>
}

/** The headers of busy blocks contain hundreds of transaction hashes each. */
const HEADERS_AT_ONCE = 250

/** Reads a chain from its nodes, with the transfers of these tokens. */
export const openSource = (
  rpc: Rpc,
  tokens: readonly string[],
  { finalForMs = 0, recipients }: SourceOptions = {},
): ChainSource => {
  // A filter without addresses would return the logs of all contracts.
  const filter: LogFilter = { addresses: tokens.length > 0 ? tokens : [zeroAddress], topics: [TRANSFER] }
  const crowded = openCrowdedBlocks(filter, recipients)
  const ranges = openLogRanges(rpc.read, crowded.inRange(rpc.read))
  const headers = openBatchSizer()

  return readAhead({
    hasSingleNode: rpc.nodes.length === 1,
    head: () => rpc.read([headCall], ([head]) => readNumber(resultOf(head), 'the head')),
    headAndBlock: ({ number }) =>
      readComplete(rpc, [headCall, blockCall(number)], {
        read: ([head, block]) => ({
          head: readNumber(resultOf(head), 'the head'),
          hash: findHeader(resultOf(block), { number })?.hash,
        }),
        isComplete: ({ hash }) => hash !== undefined,
      }),
    finalized: openFinality(rpc, finalForMs),
    agreedHead: () => agreedHeight(rpc, 'latest'),
    agreedBlock: number => agreedBlock(rpc, number),
    headers: async numbers => (await inParts(numbers, HEADERS_AT_ONCE, part => headersOf(rpc, part), headers)) ?? [],
    transfers: async (fromBlock, toBlock) =>
      (await joined(ranges({ fromBlock, toBlock }, filter))).flatMap(log => transferLogOf(log) ?? []),
    transfersIn: hash => crowded.transfers(rpc.read, { hash }),
    agreedTransfers: blocks =>
      inParts(blocks, blocks.length, part =>
        agreedTransfers(rpc, filter, part).catch(error => {
          const [block] = part
          if (!block || part.length > 1 || !isTooLarge(error)) throw error
          return crowded.transfers(agreedBy(rpc), block)
        }),
      ),
    faultOtherFinal: final =>
      rpc.read([blockCall(final.number)], ([block]) => {
        if (!isBlock(resultOf(block), final)) throw new RpcFault('garbage', 'another final block')
      }),
    agreedTransfersIn: hash => crowded.transfers(agreedBy(rpc), { hash }),
    ...openRanges(rpc, filter),
    ...openArrivals(rpc, filter, crowded),
    ...openTokenRise(rpc),
    native: openNativeSource(rpc),
  })
}

const headCall: RpcCall = { method: 'eth_blockNumber', params: [] }

/** One header is enough to continue. The missing ones are requested again. */
const headersOf = (rpc: Rpc, numbers: readonly number[]): Promise<readonly (WatchedHeader | undefined)[]> =>
  readComplete(rpc, numbers.map(blockCall), {
    read: answers => answers.map((answer, n) => headerOf(findHeader(resultOf(answer), { number: numbers[n] ?? -1 }))),
    isComplete: ([first]) => first !== undefined,
  })

const agreedBlock = async (rpc: Rpc, number: number): Promise<Block | undefined> => {
  const agreement = await rpc.agreed([blockCall(number)], ([block]) => {
    const { hash, timestamp } = readHeader(resultOf(block), { number })
    return { hash, timestamp }
  })
  const agreed = agreedOn(agreement)
  return agreed && { number, hash: agreed.hash, minedAt: new Date(agreed.timestamp * 1_000) }
}

const agreedTransfers = async (
  rpc: Rpc,
  filter: LogFilter,
  blocks: readonly Cursor[],
): Promise<readonly TransferLog[] | null | undefined> => {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last) return []
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]))
  const calls = [blockCall(last.number), logsCall({ fromBlock: first.number, toBlock: last.number }, filter)]
  const agreement = await rpc.agreed(calls, ([block, found]) => {
    if (!isBlock(resultOf(block), last)) return null
    const logs = readLogs(resultOf(found), filter)
    if (!logs.every(({ blockNumber, blockHash }) => hashes.get(blockNumber) === blockHash)) return null
    return logs.flatMap(log => transferLogOf(log) ?? [])
  })
  return agreedOn(agreement)
}

const headerOf = (header: NodeHeader | undefined): WatchedHeader | undefined =>
  header && {
    number: header.number,
    hash: header.hash,
    parentHash: header.parentHash,
    minedAt: new Date(header.timestamp * 1_000),
    mayHaveLog: (address, topic) => mayHaveLog(header.logsBloom, address, topic),
  }

const agreedBy =
  (rpc: Rpc): AskList =>
  async (calls, read, options) =>
    agreedOn(await rpc.agreed(calls, read, options))
