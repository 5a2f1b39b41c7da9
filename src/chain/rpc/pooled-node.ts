import type { Dependencies } from '../../dependencies.ts'
import { readNumber } from './hex.ts'
import { type FaultReason, type Health, type Node, RpcFault, resultOf } from './rpc.ts'

/** A node of a pool, with its health. */
export type PooledNode = {
  readonly client: Node
  /** Checks that the node serves the right chain, and reads its head. Never throws; one probe runs at a time. */
  probe(round: number): Promise<void>
  /** The node may be asked: a probe has succeeded since its last fault. */
  readonly ready: boolean
  /** Its pause after a fault is over: it may be probed. */
  readonly canBeProbed: boolean
  readonly isProbing: boolean
  readonly probedAt: number
  /** The last head it reported, and the probe round. Heads of different rounds cannot be compared. */
  readonly lastSeen: { readonly head: number; readonly round: number } | undefined
  readonly latencyMs: number | undefined
  readonly lastFault: FaultReason | undefined
  recordSuccess(): void
  recordFault(fault: RpcFault): void
  health(lagBlocks: number, behind: boolean): Health
}

/** Less than a request may take, and enough for a slow node. */
const PROBE_TIMEOUT_MS = 8_000
const MIN_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
/** Upper limit of a Retry-After. */
const MAX_RETRY_AFTER_MS = 600_000

export type PooledNodeOptions = Pick<Dependencies, 'clock' | 'random' | 'log'> & {
  readonly chainId: number
  readonly closed: AbortSignal
}

export const openPooledNode = (node: Node, { clock, random, log, chainId, closed }: PooledNodeOptions): PooledNode => {
  let ready = false
  let pausedUntil = 0
  let faults = 0
  let probedAt = 0
  let probing: Promise<void> | undefined
  let lastSeen: PooledNode['lastSeen']
  let latencyMs: number | undefined
  let lastFault: FaultReason | undefined
  const now = () => clock.now().getTime()

  const recordSuccess = () => {
    // A success that was in flight when another request failed does not end the pause.
    if (!ready || faults === 0) return
    log.info({ node: node.name, faults }, 'RPC node recovered')
    faults = 0
  }

  const recordFault = (fault: RpcFault) => {
    if (ready && faults === 0 && !closed.aborted)
      log.warn({ node: node.name, reason: fault.reason }, 'RPC node failed, retrying later')
    ready = false
    lastFault = fault.reason
    let pauseMs = Math.min(fault.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)
    // Requests that fail together count as one fault.
    if (now() >= pausedUntil) pauseMs = Math.max(pauseMs, pauseAfter(++faults, random))
    pausedUntil = Math.max(pausedUntil, now() + pauseMs)
  }

  const runProbe = async (round: number) => {
    const start = performance.now()
    try {
      const head = await readHead(node, chainId)
      latencyMs = performance.now() - start
      probedAt = now()
      lastSeen = { head, round }
      // Another request may have failed meanwhile.
      ready = now() >= pausedUntil
    } catch (error) {
      recordFault(error instanceof RpcFault ? error : new RpcFault('garbage', 'the node refuses to state its chain id'))
    }
  }

  return {
    client: node,
    recordSuccess,
    recordFault,
    probe: round => {
      probing ??= runProbe(round).finally(() => {
        probing = undefined
      })
      return probing
    },
    get ready() {
      return ready
    },
    get canBeProbed() {
      return now() >= pausedUntil
    },
    get isProbing() {
      return probing !== undefined
    },
    get probedAt() {
      return probedAt
    },
    get lastSeen() {
      return lastSeen
    },
    get latencyMs() {
      return latencyMs
    },
    get lastFault() {
      return lastFault
    },
    health: (lagBlocks, behind) => ({
      name: node.name,
      state: ready ? (behind ? 'behind' : 'healthy') : faults === 0 ? 'unknown' : 'paused',
      lagBlocks,
      head: lastSeen?.head ?? null,
      latencyMs: latencyMs ?? null,
      consecutiveFaults: faults,
      lastFault: lastFault ?? null,
      pausedUntil: ready || faults === 0 ? null : new Date(pausedUntil),
    }),
  }
}

const readHead = async (node: Node, chainId: number): Promise<number> => {
  const calls = ['eth_chainId', 'eth_blockNumber'].map(method => ({ method, params: [] }))
  const [id, head] = await node.batch(calls, { timeoutMs: PROBE_TIMEOUT_MS, maxBytes: 65_536, waitOnRateLimit: true })
  if (readNumber(resultOf(id), 'the chain id') !== chainId) throw new RpcFault('wrong_chain')
  return readNumber(resultOf(head), 'the head')
}

/** Doubles with each fault, with jitter in its upper half, so that clients do not return at the same moment. */
const pauseAfter = (faults: number, random: Dependencies['random']): number => {
  const [byte = 0] = random(new Uint8Array(1))
  return Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** Math.min(faults - 1, 20)) * (0.5 + byte / 512)
}
