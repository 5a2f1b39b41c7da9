import type { PooledNode } from './pooled-node.ts'
import { type BatchOptions, type Health, type RpcAnswer, type RpcCall, RpcFault, RpcRefusal } from './rpc.ts'

export type NodePool = {
  /** The healthiest node that was not tried; undefined when no other can be asked now. */
  next(tried: Tried, deadline: number, signal?: AbortSignal): Promise<PooledNode | undefined>
  /**
   * The time for one node: half of the time left while another untried node could answer; otherwise all of it, waiting
   * on rate limits.
   */
  timeLimitFor(tried: Tried, deadline: number): { readonly timeoutMs: number; readonly waitOnRateLimit: boolean }
  /** Asks one node. A fault counts against it. */
  ask<T>(
    node: PooledNode,
    calls: readonly RpcCall[],
    parse: (answers: readonly RpcAnswer[]) => T,
    options: BatchOptions,
  ): Promise<{ readonly value: T } | RpcFault | RpcRefusal>
  /** The fault that says why no node can be asked. */
  unavailable(tried: Tried): RpcFault
  readonly size: number
  health(): readonly Health[]
}

export type Tried = { has(node: PooledNode): boolean }

const PROBE_EVERY_MS = 10_000

/** Chooses which node is asked. Probes run in the background, so that no request waits for a node that returns. */
export const openNodePool = (
  nodes: readonly PooledNode[],
  { maxLagBlocks, now }: { readonly maxLagBlocks: number; readonly now: () => number },
): NodePool => {
  let round = 0

  /**
   * Probes all nodes together, because only heads of the same moment can be compared. A round ends before the next one
   * starts: otherwise every request would probe the fast nodes again while a slow one is awaited, and the slow one
   * would never be in a current round.
   */
  const probe = () => {
    if (nodes.some(each => each.isProbing)) return
    const due = nodes.some(each => each.canBeProbed && (!each.ready || now() - each.probedAt > PROBE_EVERY_MS))
    if (!due) return
    round++
    for (const each of nodes) if (each.canBeProbed) void each.probe(round)
  }
  const isBehind = (node: PooledNode) => lagOf(node, nodes) > maxLagBlocks
  const ranked = (tried: Tried) =>
    nodes
      .filter(each => each.ready && !tried.has(each))
      .sort((a, b) => Number(isBehind(a)) - Number(isBehind(b)) || latencyRank(a) - latencyRank(b))

  return {
    size: nodes.length,
    next: async (tried, deadline, signal) => {
      for (;;) {
        signal?.throwIfAborted()
        if (performance.now() >= deadline) return undefined
        probe()
        const [best] = ranked(tried)
        if (best) return best
        const candidates = nodes.filter(each => each.canBeProbed && !tried.has(each))
        if (
          candidates.length === 0 ||
          !(await isAnySettled(
            deadline,
            candidates.map(each => each.probe(round)),
            signal,
          ))
        )
          return undefined
      }
    },
    timeLimitFor: (tried, deadline) => {
      const leftMs = deadline - performance.now()
      const isLast = !nodes.some(each => each.canBeProbed && !tried.has(each))
      return { timeoutMs: isLast ? leftMs : leftMs / 2, waitOnRateLimit: isLast }
    },
    ask: async (node, calls, parse, options) => {
      try {
        const value = parse(await node.client.batch(calls, options))
        node.recordSuccess()
        return { value }
      } catch (error) {
        if (error instanceof RpcFault) {
          if (!FAULTS_OF_REQUESTS.includes(error.reason)) node.recordFault(error)
        } else if (!(error instanceof RpcRefusal)) throw error
        return error
      }
    },
    unavailable: tried => {
      const failing = nodes.find(each => !tried.has(each) && each.lastFault !== undefined)
      return new RpcFault(failing?.lastFault ?? 'timeout', 'no other node can be asked now')
    },
    health: () => nodes.map(each => each.health(lagOf(each, nodes), isBehind(each))),
  }
}

/** Not the node's fault: the request was too wide, or the block is too new. */
const FAULTS_OF_REQUESTS: readonly string[] = ['too_large', 'behind']

/**
 * Blocks behind the median head of the same round (the upper one of two). From three nodes on, no single node can make
 * the others look late by reporting a head that does not exist.
 */
const lagOf = (node: PooledNode, nodes: readonly PooledNode[]): number => {
  const { lastSeen } = node
  if (!lastSeen) return 0
  const heads = nodes.flatMap(each =>
    each.lastSeen?.round === lastSeen.round && each.ready ? [each.lastSeen.head] : [],
  )
  heads.sort((a, b) => a - b)
  return Math.max(0, (heads[Math.floor(heads.length / 2)] ?? lastSeen.head) - lastSeen.head)
}

/** Only a latency of twice as much counts as slower. Smaller differences are noise, and keep the operator's order. */
const latencyRank = ({ latencyMs = 0 }: PooledNode): number => Math.round(Math.log2(Math.max(latencyMs, 16)))

/** Whether one of the promises settled before the deadline. */
const isAnySettled = async (
  deadline: number,
  promises: readonly Promise<void>[],
  signal?: AbortSignal,
): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const giveUp = () => resolve(false)
  const timer = setTimeout(giveUp, deadline - performance.now())
  signal?.addEventListener('abort', giveUp)
  for (const each of promises) void each.then(() => resolve(true))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    signal?.throwIfAborted()
  }
}
