import type { TransferLog } from '../chain-log.ts'
import type { BlockSelector } from '../rpc/block.ts'
import { type AskList, readBlockLogs } from '../rpc/block-logs.ts'
import type { EventLog, LogFilter } from '../rpc/log.ts'
import type { AskCrowded } from '../rpc/log-ranges.ts'
import { RpcFault, RpcRefusal } from '../rpc/rpc.ts'
import { topicOf, transferLogOf } from './transfer-log.ts'

/** Reads blocks with more transfers than nodes list in one answer. Anyone who pays the gas can make such a block. */
export type CrowdedBlocks = {
  /** Undefined while the node does not have the block, or two nodes do not agree. */
  transfers(ask: AskList, block: BlockSelector): Promise<readonly TransferLog[] | undefined>
  inRange(ask: AskList): AskCrowded
}

const ADDRESSES_AT_ONCE = 100

/** The filter, narrowed to transfers to these addresses. */
export const filtersTo = (filter: LogFilter, addresses: readonly string[]): readonly LogFilter[] =>
  Array.from({ length: Math.ceil(addresses.length / ADDRESSES_AT_ONCE) }, (_, n) => {
    const some = addresses.slice(n * ADDRESSES_AT_ONCE, (n + 1) * ADDRESSES_AT_ONCE)
    return { ...filter, topics: [...filter.topics, null, some.map(topicOf)] }
  })

export const openCrowdedBlocks = (
  filter: LogFilter,
  recipients: () => Promise<readonly string[] | undefined> = async () => undefined,
): CrowdedBlocks => {
  const keep = (log: EventLog) => transferLogOf(log) !== undefined
  const narrow = async (each: LogFilter) => {
    const addresses = each.topics.length > filter.topics.length ? undefined : await recipients()
    return addresses && filtersTo(each, addresses)
  }
  return {
    transfers: async (ask, block) => {
      try {
        const logs = await readBlockLogs(ask, block, filter, { keep, narrow })
        return logs?.flatMap(log => transferLogOf(log) ?? [])
      } catch (error) {
        if (error instanceof RpcRefusal || (error instanceof RpcFault && error.reason === 'behind')) return undefined
        throw error
      }
    },
    inRange: ask => async (number, wanted, options) => {
      const logs = await readBlockLogs(ask, { number }, wanted, { ...options, keep, narrow })
      if (!logs) throw new RpcFault('behind', 'nodes do not agree on a block')
      return logs
    },
  }
}
