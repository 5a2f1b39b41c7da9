import { defaultTimeoutMs } from './node.ts'
import type { NodePool } from './node-pool.ts'
import type { PooledNode } from './pooled-node.ts'
import {
  type Agreement,
  type BatchOptions,
  type Comparable,
  type RpcAnswer,
  type RpcCall,
  RpcFault,
  RpcRefusal,
} from './rpc.ts'

/** A node's answer, and its canonical text for the comparison. */
type NodeAnswer<T> = { readonly node: string; readonly value: T; readonly text: string }

/** Asks two nodes. When their answers differ or one fails, asks one more at a time until two answers are equal. */
export const agree = async <T extends Comparable>(
  pool: NodePool,
  calls: readonly RpcCall[],
  pick: (answers: readonly RpcAnswer[]) => T,
  options: BatchOptions = {},
): Promise<Agreement<T>> => {
  const needed = Math.min(2, pool.size)
  const deadline = performance.now() + (options.timeoutMs ?? defaultTimeoutMs)
  const tried = new Map<PooledNode, RpcFault | RpcRefusal | undefined>()
  const answers: NodeAnswer<T>[] = []

  // Nodes are chosen one at a time, so that the two requests of a pair never go to the same node.
  let choosing: Promise<unknown> = Promise.resolve()
  const choose = (): Promise<PooledNode | undefined> => {
    const chosen = choosing.then(async () => {
      const node = await pool.next(tried, deadline, options.signal)
      if (node) tried.set(node, undefined)
      return node
    })
    choosing = chosen.catch(() => undefined)
    return chosen
  }
  const askNext = async (): Promise<boolean> => {
    const node = await choose()
    if (!node) return false
    const { timeoutMs, waitOnRateLimit } = pool.timeLimitFor(tried, deadline)
    // With no spare node, both are needed: wait while one of them limits requests.
    const outcome = await pool.ask(node, calls, pick, {
      ...options,
      timeoutMs,
      waitOnRateLimit: waitOnRateLimit || pool.size <= needed,
    })
    if (outcome instanceof RpcFault || outcome instanceof RpcRefusal) tried.set(node, outcome)
    else answers.push({ node: node.client.name, value: outcome.value, text: toText(outcome.value) })
    return true
  }

  for (let asking = needed; ; asking = 1) {
    const asked = await Promise.all(Array.from({ length: asking }, askNext))
    const equal = findEqual(answers, needed)
    if (equal) return { outcome: 'agreed', value: equal[0].value, nodes: equal.map(each => each.node) }
    if (asked.includes(false)) break
  }
  if (answers.length >= needed) return { outcome: 'disagreed', nodes: answers.map(each => each.node) }
  throw [...tried.values()].find(failure => failure !== undefined) ?? pool.unavailable(tried)
}

const findEqual = <T>(
  answers: readonly NodeAnswer<T>[],
  needed: number,
): readonly [NodeAnswer<T>, ...NodeAnswer<T>[]] | undefined => {
  for (const each of answers) {
    const others = answers.filter(other => other !== each && other.text === each.text)
    if (others.length >= needed - 1) return [each, ...others]
  }
  return undefined
}

const toText = (value: Comparable): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each} as bigint` : each))
