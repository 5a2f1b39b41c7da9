import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import type { Chains } from '../chain/enabled/connect.ts'
import { RpcFault, RpcRefusal } from '../chain/rpc/rpc.ts'
import { BalancesDisagree } from '../chain/watch/native/check-balances.ts'
import { openNativeSource } from '../chain/watch/native/source.ts'
import { checkPaymentNow } from '../chain/watch/native/watch-balances.ts'

/**
 * Checks the balances of payments while customers wait for them. Native currency that a contract passes on, such as
 * that of an exchange, is visible only in the balance, and the chain reader checks balances only every few minutes.
 */
export type BalanceChecks = {
  /** Checks a payment in the background. `again`: even if it was checked recently, because a payment was reported. */
  request(payment: Actor<Payment>, how?: { readonly again: boolean }): void
  /** Resolves when no check is running any more. */
  stop(): Promise<void>
}

export type BalanceChecksOptions = {
  /** Reads a chain immediately, when a payment was reported. */
  readonly wake?: ((chainId: number) => void) | undefined
  readonly everyMs?: number
  readonly most?: number
}

type Wanted = { readonly freshMs: number | undefined }

/** One check at a time on each chain, so that a thousand open pages load a node no more than one does. */
export const openBalanceChecks = (
  { sql, log }: Pick<Services, 'sql' | 'log'>,
  chains: Chains,
  { wake, everyMs = 15_000, most = 1_000 }: BalanceChecksOptions = {},
): BalanceChecks => {
  /** By chain: slow nodes of one chain do not delay the others. */
  const queues = new Map<number, Map<string, Wanted>>()
  /** Time of the last check of each payment, oldest first. */
  const checkedAt = new Map<string, number>()
  let stopped = false
  const running = new Set<Promise<void>>()

  const checkQueue = async (chainId: number, waiting: Map<string, Wanted>): Promise<void> => {
    for (const [id, wanted] of waiting) {
      if (stopped) break
      waiting.delete(id)
      await check(chainId, id, wanted)
    }
    queues.delete(chainId)
  }

  const check = async (chainId: number, id: string, { freshMs }: Wanted): Promise<void> => {
    const connected = chains.find(chainId)
    if (!connected) return
    try {
      await checkPaymentNow({ sql }, chainId, openNativeSource(connected.rpc), id, freshMs)
    } catch (err) {
      // The chain reader logs problems of a chain.
      const isTrouble = err instanceof RpcFault || err instanceof RpcRefusal || err instanceof BalancesDisagree
      if (!isTrouble) log.warn({ err }, 'balance check on request failed')
    }
  }

  const wasChecked = (id: string): boolean => {
    const now = performance.now()
    for (const [known, at] of checkedAt) {
      if (now - at < everyMs) break
      checkedAt.delete(known)
    }
    return checkedAt.has(id)
  }

  return {
    request: ({ id, state, context: { chainId, tokenAddress } }, how) => {
      if (stopped || chainId === null || !(state === 'pending' || state === 'processing')) return
      if (how?.again) wake?.(chainId)
      const waiting = queues.get(chainId) ?? new Map<string, Wanted>()
      if (tokenAddress !== null || waiting.has(id) || waiting.size >= most) return
      if (wasChecked(id) && !how?.again) return
      checkedAt.delete(id)
      checkedAt.set(id, performance.now())
      waiting.set(id, { freshMs: how?.again ? 0 : undefined })
      if (queues.has(chainId)) return
      queues.set(chainId, waiting)
      const check = checkQueue(chainId, waiting).finally(() => running.delete(check))
      running.add(check)
    },
    stop: async () => {
      stopped = true
      await Promise.all(running)
    },
  }
}
