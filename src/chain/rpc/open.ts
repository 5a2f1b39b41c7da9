import type { Dependencies } from '../../dependencies.ts'
import { agree } from './agree.ts'
import { askEvery } from './ask-every.ts'
import { defaultTimeoutMs, openNode } from './node.ts'
import { labelsOf } from './node-labels.ts'
import { type NodePool, openNodePool } from './node-pool.ts'
import { openPooledNode, type PooledNode } from './pooled-node.ts'
import { type BatchOptions, type Rpc, type RpcAnswer, type RpcCall, RpcFault, RpcRefusal } from './rpc.ts'

export type RpcOptions = {
  readonly chainId: number
  readonly urls: readonly string[]
  /** Undefined: no proxy. Proxy variables of the environment are ignored. */
  readonly proxy?: string | undefined
  /** Nodes that are further behind the others are asked last. Higher for a chain with several blocks a second. */
  readonly maxLagBlocks?: number
}

/** Opens the pool of nodes of one chain. No request is sent before the first call. */
export const openRpc = (
  { chainId, urls, proxy, maxLagBlocks = 5 }: RpcOptions,
  outside: Pick<Dependencies, 'clock' | 'random' | 'log'>,
): Rpc => {
  const closing = new AbortController()
  const now = () => outside.clock.now().getTime()
  const nodes = urls.map((url, at) =>
    openNode({ name: `${chainId}/${at + 1}`, url, proxy, closed: closing.signal, now }),
  )
  const pooled = nodes.map(node => openPooledNode(node, { ...outside, chainId, closed: closing.signal }))
  const pool = openNodePool(pooled, { maxLagBlocks, now })
  const labels = labelsOf(urls)
  const read: Rpc['read'] = (calls, parse, options) => askInOrder(pool, calls, parse, options)

  return {
    nodes,
    read,
    batch: (calls, options) => read(calls, answers => answers, options),
    agreed: (calls, pick, options) => agree(pool, calls, pick, options),
    both: async (calls, read, options) => {
      const values: ReturnType<typeof read>[] = []
      // `agree` compares this value, which is true for every node: two answers are enough, equal or not.
      const collect = (answers: readonly RpcAnswer[]) => values.push(read(answers)) > 0
      await agree(pool, calls, collect, options)
      return values
    },
    every: (calls, read, options) => askEvery(pool, calls, read, options),
    health: () => pool.health(),
    // A function: a client that is printed in an error or a log must not name its nodes.
    labels: () => labels,
    close: () => closing.abort(),
  }
}

/** Asks one node after the other until one answers. */
const askInOrder = async <T>(
  pool: NodePool,
  calls: readonly RpcCall[],
  parse: (answers: readonly RpcAnswer[]) => T,
  options: BatchOptions = {},
): Promise<T> => {
  const deadline = performance.now() + (options.timeoutMs ?? defaultTimeoutMs)
  const tried = new Map<PooledNode, RpcFault | RpcRefusal | undefined>()
  for (;;) {
    const node = await pool.next(tried, deadline, options.signal)
    if (!node) throw worstFailure(tried) ?? pool.unavailable(tried)
    tried.set(node, undefined)
    const outcome = await pool.ask(node, calls, parse, { ...options, ...pool.timeLimitFor(tried, deadline) })
    if (outcome instanceof RpcFault || outcome instanceof RpcRefusal) {
      tried.set(node, outcome)
      continue
    }
    // An answer that is too large from one node and not from another is the first node's fault. Too large from all of
    // them, the request was too wide.
    for (const [each, failure] of tried) if (isTooLarge(failure)) each.recordFault(failure)
    return outcome.value
  }
}

/** A refusal says more about the request than an unreachable node. */
const worstFailure = (tried: ReadonlyMap<PooledNode, RpcFault | RpcRefusal | undefined>) => {
  const failures = [...tried.values()]
  return failures.find(failure => failure instanceof RpcRefusal) ?? failures.find(isTooLarge) ?? failures[0]
}

const isTooLarge = (failure: unknown): failure is RpcFault =>
  failure instanceof RpcFault && failure.reason === 'too_large'
