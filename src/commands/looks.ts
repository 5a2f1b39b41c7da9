import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Chains } from '../chain/connect.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { Doubted } from '../chain/watch/coins/look.ts'
import { openCoinSource } from '../chain/watch/coins/source.ts'
import { lookNow } from '../chain/watch/coins/watch.ts'
import type { World } from '../world.ts'

/**
 * Has the balances of payments looked at while somebody waits for them: coins that a contract sends on, as an
 * exchange's does, show nowhere else, and whoever reads the chains looks every few minutes only.
 */
export type Looks = {
  /** Sooner or later, and never in the way of the answer. `again`: however lately, for it is said to be paid. */
  want(payment: Actor<Payment>, how?: { readonly again: boolean }): void
  /** Resolves when nobody is being looked for any more. */
  stop(): Promise<void>
}

export type LooksOptions = {
  /** Has a chain read before its turn, when somebody says that there is something to be read. */
  readonly wake?: ((chainId: number) => void) | undefined
  readonly everyMs?: number
  readonly most?: number
}

type Wanted = { readonly freshMs: number | undefined }

/** One after the other on each chain, so that a thousand open pages ask a node no more than one does. */
export const openLooks = (
  { sql, log }: Pick<World, 'sql' | 'log'>,
  chains: Chains,
  { wake, everyMs = 15_000, most = 1_000 }: LooksOptions = {},
): Looks => {
  /** By chain: the nodes of one that hang keep nobody else waiting. */
  const queues = new Map<number, Map<string, Wanted>>()
  /** When each was looked at last, the longest ago first. */
  const looked = new Map<string, number>()
  let stopped = false
  const looking = new Set<Promise<void>>()

  const lookOn = async (chainId: number, waiting: Map<string, Wanted>): Promise<void> => {
    for (const [id, wanted] of waiting) {
      if (stopped) break
      waiting.delete(id)
      await look(chainId, id, wanted)
    }
    queues.delete(chainId)
  }

  const look = async (chainId: number, id: string, { freshMs }: Wanted): Promise<void> => {
    const connected = chains.find(chainId)
    if (!connected) return
    try {
      await lookNow({ sql }, chainId, openCoinSource(connected.rpc), id, freshMs)
    } catch (err) {
      // A chain in trouble is told by whoever reads it.
      const isTrouble = err instanceof RpcFault || err instanceof RpcRefusal || err instanceof Doubted
      if (!isTrouble) log.warn({ err }, 'balances cannot be looked at')
    }
  }

  const wasLookedAt = (id: string): boolean => {
    const now = performance.now()
    for (const [known, at] of looked) {
      if (now - at < everyMs) break
      looked.delete(known)
    }
    return looked.has(id)
  }

  return {
    want: ({ id, state, context: { chainId, tokenAddress } }, how) => {
      if (stopped || chainId === null || !(state === 'pending' || state === 'processing')) return
      if (how?.again) wake?.(chainId)
      const waiting = queues.get(chainId) ?? new Map<string, Wanted>()
      if (tokenAddress !== null || waiting.has(id) || waiting.size >= most) return
      if (wasLookedAt(id) && !how?.again) return
      looked.delete(id)
      looked.set(id, performance.now())
      waiting.set(id, { freshMs: how?.again ? 0 : undefined })
      if (queues.has(chainId)) return
      queues.set(chainId, waiting)
      const under = lookOn(chainId, waiting).finally(() => looking.delete(under))
      looking.add(under)
    },
    stop: async () => {
      stopped = true
      await Promise.all(looking)
    },
  }
}
