import type { Cursor, TransferLog } from '../chain-log.ts'
import { blockCall, readHeader } from '../rpc/block.ts'
import type { EventLog, LogFilter } from '../rpc/log.ts'
import { type AskRange, joined, openLogRanges } from '../rpc/log-ranges.ts'
import { isTooLarge, type Rpc, RpcFault, resultOf } from '../rpc/rpc.ts'
import { type CrowdedBlocks, filtersTo } from './crowded-blocks.ts'
import { transferLogOf } from './transfer-log.ts'

export type Arrivals = { readonly minedAt: Date; readonly logs: readonly TransferLog[] }

export type ArrivalSource = {
  /**
   * Transfers to these addresses between two blocks, as at least one of two nodes reports, and the earliest time of the
   * last block; undefined while a node has another block there.
   */
  arrivals(from: number, at: Cursor, addresses: readonly string[]): Promise<Arrivals | undefined>
}

export const openArrivals = (rpc: Rpc, filter: LogFilter, crowded: CrowdedBlocks): ArrivalSource => {
  const ofBoth: AskRange = async (calls, read) => {
    const answers = await rpc.both(calls, read)
    const [first] = answers
    if (!first) throw new RpcFault('unreachable')
    return { ...first, logs: answers.flatMap(({ logs }) => logs) }
  }
  const crowdedOfBoth = crowded.inRange(async (calls, read, options) => (await rpc.both(calls, read, options)).flat())
  // Nodes limit the number of topics in a filter, some to one. Where they refuse, transfers to all addresses are read.
  const [byAddress, ofAll] = [openLogRanges(ofBoth), openLogRanges(ofBoth, crowdedOfBoth)]

  return {
    arrivals: async (fromBlock, { number: toBlock, hash }, addresses) => {
      const ends = await rpc.both([blockCall(toBlock)], ([block]) => readHeader(resultOf(block), { number: toBlock }))
      if (ends.some(end => end.hash !== hash)) return undefined
      const minedAt = new Date(Math.min(...ends.map(({ timestamp }) => timestamp)) * 1_000)
      const logs: EventLog[] = []
      for (const toThese of filtersTo(filter, addresses)) {
        const found = await joined(byAddress({ fromBlock, toBlock }, toThese)).catch(error => {
          if (!isTooLarge(error)) throw error
          return joined(ofAll({ fromBlock, toBlock }, filter))
        })
        logs.push(...found)
      }
      return { minedAt, logs: logs.flatMap(log => transferLogOf(log) ?? []) }
    },
  }
}
