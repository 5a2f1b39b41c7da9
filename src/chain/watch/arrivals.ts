import type { Cursor, TransferLog } from '../chain-log.ts'
import { blockCall, readHeader } from '../rpc/block.ts'
import type { EventLog, LogFilter } from '../rpc/log.ts'
import { type AskRange, joined, openLogRanges } from '../rpc/log-ranges.ts'
import { isTooLarge, type Rpc, RpcFault, resultOf } from '../rpc/rpc.ts'
import { type Crowded, filtersTo } from './crowded.ts'
import { transferLogOf } from './transfer-of.ts'

export type Arrivals = { readonly minedAt: Date; readonly logs: readonly TransferLog[] }

export type ArrivalSource = {
  /**
   * Transfers to these addresses from a block on and up to one, as at least one of two nodes tells, and when that block
   * was mined at the earliest; undefined while they have others there.
   */
  arrivals(from: number, at: Cursor, addresses: readonly string[]): Promise<Arrivals | undefined>
}

export const openArrivals = (rpc: Rpc, filter: LogFilter, crowded: Crowded): ArrivalSource => {
  const ofBoth: AskRange = async (calls, read) => {
    const told = await rpc.both(calls, read)
    const [first] = told
    if (!first) throw new RpcFault('unreachable')
    return { ...first, logs: told.flatMap(({ logs }) => logs) }
  }
  const crowdedOfBoth = crowded.inRange(async (calls, read, options) => (await rpc.both(calls, read, options)).flat())
  // Nodes bound how many topics they look for, some to one: then it is asked for whatever came.
  const [byAddress, ofAll] = [openLogRanges(ofBoth), openLogRanges(ofBoth, crowdedOfBoth)]

  return {
    arrivals: async (fromBlock, { number: toBlock, hash }, addresses) => {
      const ends = await rpc.both([blockCall(toBlock)], ([block]) => readHeader(resultOf(block), { number: toBlock }))
      if (ends.some(end => end.hash !== hash)) return undefined
      const minedAt = new Date(Math.min(...ends.map(({ timestamp }) => timestamp)) * 1_000)
      const logs: EventLog[] = []
      for (const toThese of filtersTo(filter, addresses)) {
        const told = await joined(byAddress({ fromBlock, toBlock }, toThese)).catch(error => {
          if (!isTooLarge(error)) throw error
          return joined(ofAll({ fromBlock, toBlock }, filter))
        })
        logs.push(...told)
      }
      return { minedAt, logs: logs.flatMap(log => transferLogOf(log) ?? []) }
    },
  }
}
