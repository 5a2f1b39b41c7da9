import { blockAt, readHeader } from '../rpc/block.ts'
import { type LogFilter, logsIn, type Range, readLogs } from '../rpc/log.ts'
import { answered, isTooMuch, type Rpc } from '../rpc/rpc.ts'
import type { Cursor, TransferLog } from './books.ts'
import { topicOf, transferOf } from './transfer-of.ts'

export type Arrivals = { readonly minedAt: Date; readonly logs: readonly TransferLog[] }

export type ArrivalSource = {
  /**
   * Transfers to these addresses from a block on and up to one, as at least one of two nodes tells, and when that block
   * was mined at the earliest; undefined while they have others there.
   */
  arrivals(from: number, at: Cursor, addresses: readonly string[]): Promise<Arrivals | undefined>
}

const ADDRESSES_AT_ONCE = 100

export const openArrivals = (rpc: Rpc, filter: LogFilter): ArrivalSource => ({
  arrivals: async (from, { number, hash }, addresses) => {
    const ends = await rpc.both([blockAt(number)], ([block]) => readHeader(answered(block), { number }))
    if (ends.some(end => end.hash !== hash)) return undefined
    const minedAt = new Date(Math.min(...ends.map(({ timestamp }) => timestamp)) * 1_000)
    const range = { fromBlock: from, toBlock: number }
    const logs: TransferLog[] = []
    for (let at = 0; at < addresses.length; at += ADDRESSES_AT_ONCE) {
      const topics = [...filter.topics, null, addresses.slice(at, at + ADDRESSES_AT_ONCE).map(topicOf)]
      // Nodes bound how many topics they look for, some to one: then it is asked for whatever came.
      const told = await askAll(rpc, range, { ...filter, topics }).catch(error => {
        if (!isTooMuch(error)) throw error
        return askAll(rpc, range, filter)
      })
      logs.push(...told)
    }
    return { minedAt, logs }
  },
})

/** In one question, or in halves where that is refused or too large. */
const askAll = async (rpc: Rpc, range: Range, filter: LogFilter): Promise<readonly TransferLog[]> => {
  const { fromBlock, toBlock } = range
  try {
    const told = await rpc.both([blockAt(toBlock), logsIn(range, filter)], ([block, found]) => {
      // A node that has not got there answers with no logs and no error.
      readHeader(answered(block), { number: toBlock })
      return readLogs(answered(found), filter)
    })
    return told.flat().flatMap(log => transferOf(log) ?? [])
  } catch (error) {
    if (fromBlock >= toBlock || !isTooMuch(error)) throw error
  }
  const middle = Math.floor((fromBlock + toBlock) / 2)
  const lower = await askAll(rpc, { fromBlock, toBlock: middle }, filter)
  return [...lower, ...(await askAll(rpc, { fromBlock: middle + 1, toBlock }, filter))]
}
