import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../harness/until.ts'
import type { ChainInstance } from './chain-instance.ts'
import type { BenchNode } from './chain-node.ts'

/** The floor: polls as often for the next block and its logs, in one request, and inserts each log with one statement. */
export type Poller = AsyncDisposable & {
  /** Resolves with the time, by this process's clock, when this many more logs were committed. */
  inserted(more: number): Promise<number>
}

export const startPoller = async (
  node: BenchNode,
  { world: { sql } }: ChainInstance,
  pollMs: number,
): Promise<Poller> => {
  await sql`create table if not exists bare_logs (tx_hash text, log_index text, block_hash text, topics text[], data text)`
  let next = Number(await node.call('eth_blockNumber')) + 1
  let rows = 0
  let committedAt = 0
  let awaited = 0
  const stopping = new AbortController()
  const poll = async (): Promise<void> => {
    const number = `0x${next.toString(16)}`
    const calls = [
      ['eth_getBlockByNumber', [number, false]],
      ['eth_getLogs', [{ fromBlock: number, toBlock: number, address: node.token }]],
    ].map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
    const body = JSON.stringify(calls)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(node.url, { method: 'POST', headers, body })
    const [block, logs] = JSON.parse(await response.text()) as readonly { readonly result?: unknown }[]
    if (!block?.result || !Array.isArray(logs?.result)) return
    next++
    await sql`
      insert into bare_logs (tx_hash, log_index, block_hash, topics, data)
      select "transactionHash", "logIndex", "blockHash", topics, data
      from json_to_recordset(${JSON.stringify(logs.result)}::text::json)
        as log("transactionHash" text, "logIndex" text, "blockHash" text, topics text[], data text)`
    committedAt = performance.now()
    rows += logs.result.length
  }
  const polling = (async () => {
    while (!stopping.signal.aborted) {
      await poll()
      await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()
  return {
    inserted: async more => {
      awaited += more
      await until(() => rows >= awaited, { timeoutMs: 60_000, everyMs: 5, what: 'bare logs' })
      return committedAt
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await polling
    },
  }
}
