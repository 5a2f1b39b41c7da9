import { defaultTimeoutMs } from './node.ts'
import type { NodePool } from './node-pool.ts'
import type { PooledNode } from './pooled-node.ts'
import { type BatchOptions, type RpcAnswer, type RpcCall, RpcFault, RpcRefusal } from './rpc.ts'

/** Asks all nodes in parallel and waits for those that can be asked. Throws when none of them answers. */
export const askEvery = async <T>(
  pool: NodePool,
  calls: readonly RpcCall[],
  read: (answers: readonly RpcAnswer[]) => T,
  options: BatchOptions = {},
): Promise<readonly T[]> => {
  const deadline = performance.now() + (options.timeoutMs ?? defaultTimeoutMs)
  const tried = new Set<PooledNode>()
  const asking: ReturnType<typeof pool.ask<T>>[] = []
  for (;;) {
    const node = await pool.next(tried, deadline, options.signal)
    if (!node) break
    tried.add(node)
    asking.push(
      pool.ask(node, calls, read, { ...options, timeoutMs: deadline - performance.now(), waitOnRateLimit: true }),
    )
  }
  const outcomes = await Promise.all(asking)
  const values = outcomes.flatMap(outcome => ('value' in outcome ? [outcome.value] : []))
  if (values.length > 0) return values
  throw outcomes.find(each => each instanceof RpcFault || each instanceof RpcRefusal) ?? pool.unavailable(tried)
}
