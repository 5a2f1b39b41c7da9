import type { Outside } from '../../outside.ts'
import { readNumber } from './hex.ts'
import { answered, type FaultReason, type Health, type Node, RpcFault } from './rpc.ts'

/** A node, and what is known of its health. */
export type Member = {
  readonly node: Node
  /** Shows that it serves the right chain and how far it has got. Never throws; one runs at a time. */
  probe(round: number): Promise<void>
  /** May be asked: it has shown its chain since it last faulted. */
  readonly ready: boolean
  /** May be probed. */
  readonly rested: boolean
  readonly isProbed: boolean
  readonly probedAt: number
  /** The last head it showed, and in which round; heads of other rounds say nothing about it. */
  readonly seen: { readonly head: number; readonly round: number } | undefined
  readonly latencyMs: number | undefined
  readonly lastFault: FaultReason | undefined
  wentWell(): void
  faulted(fault: RpcFault): void
  health(lagBlocks: number, behind: boolean): Health
}

/** Less than a question may take, and enough for a node that is only slow. */
const probeTimeoutMs = 8_000
const shortestRestMs = 500
const longestRestMs = 30_000
/** However long a node asks to be left alone. */
const longestRetryAfterMs = 600_000

export type MemberOptions = Pick<Outside, 'clock' | 'random' | 'log'> & {
  readonly chainId: number
  readonly closed: AbortSignal
}

export const openMember = (node: Node, { clock, random, log, chainId, closed }: MemberOptions): Member => {
  let ready = false
  let restsUntil = 0
  let faults = 0
  let probedAt = 0
  let probing: Promise<void> | undefined
  let seen: Member['seen']
  let latencyMs: number | undefined
  let lastFault: FaultReason | undefined
  const now = () => clock.now().getTime()

  const wentWell = () => {
    // An answer that was under way when another one failed does not end the rest.
    if (!ready || faults === 0) return
    log.info({ node: node.name, faults }, 'RPC node recovered')
    faults = 0
  }

  const faulted = (fault: RpcFault) => {
    if (ready && faults === 0 && !closed.aborted)
      log.warn({ node: node.name, reason: fault.reason }, 'RPC node failed, retrying later')
    ready = false
    lastFault = fault.reason
    let pauseMs = Math.min(fault.retryAfterMs ?? 0, longestRetryAfterMs)
    // Many requests that fail at once are one fault.
    if (now() >= restsUntil) pauseMs = Math.max(pauseMs, restMs(++faults, random))
    restsUntil = Math.max(restsUntil, now() + pauseMs)
  }

  const ask = async (round: number) => {
    const start = performance.now()
    try {
      const head = await showHead(node, chainId)
      latencyMs = performance.now() - start
      probedAt = now()
      seen = { head, round }
      // Something else may have failed meanwhile.
      ready = now() >= restsUntil
    } catch (error) {
      faulted(error instanceof RpcFault ? error : new RpcFault('garbage', 'it refuses to name its chain'))
    }
  }

  return {
    node,
    wentWell,
    faulted,
    probe: round => {
      probing ??= ask(round).finally(() => {
        probing = undefined
      })
      return probing
    },
    get ready() {
      return ready
    },
    get rested() {
      return now() >= restsUntil
    },
    get isProbed() {
      return probing !== undefined
    },
    get probedAt() {
      return probedAt
    },
    get seen() {
      return seen
    },
    get latencyMs() {
      return latencyMs
    },
    get lastFault() {
      return lastFault
    },
    health: (lagBlocks, behind) => ({
      name: node.name,
      state: ready ? (behind ? 'behind' : 'healthy') : faults === 0 ? 'unasked' : 'resting',
      lagBlocks,
      head: seen?.head ?? null,
      latencyMs: latencyMs ?? null,
      consecutiveFaults: faults,
      lastFault: lastFault ?? null,
      restsUntil: ready || faults === 0 ? null : new Date(restsUntil),
    }),
  }
}

const showHead = async (node: Node, chainId: number): Promise<number> => {
  const calls = ['eth_chainId', 'eth_blockNumber'].map(method => ({ method, params: [] }))
  const [id, head] = await node.batch(calls, { timeoutMs: probeTimeoutMs, mostBytes: 65_536, patient: true })
  if (readNumber(answered(id), 'the chain id') !== chainId) throw new RpcFault('wrong_chain')
  return readNumber(answered(head), 'the head')
}

/** Twice as long after each fault, somewhere in its upper half: clients that fell away together do not return together. */
const restMs = (faults: number, random: Outside['random']): number => {
  const [byte = 0] = random(new Uint8Array(1))
  return Math.min(longestRestMs, shortestRestMs * 2 ** Math.min(faults - 1, 20)) * (0.5 + byte / 512)
}
