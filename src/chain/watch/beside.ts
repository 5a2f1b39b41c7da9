import { setTimeout as sleep } from 'node:timers/promises'
import { LockedOut } from '../../actors/command.ts'
import type { Services } from '../../actors/services.ts'
import { isInShare, type WorkerShare } from '../../workers/share.ts'
import { RpcFault, RpcRefusal } from '../rpc/rpc.ts'

export type Beside<Chain> = {
  readonly chains: readonly Chain[]
  readonly share: WorkerShare
  /** What the log says when a turn has failed; only the first in a row is told. */
  readonly trouble: string
}

/**
 * Takes a turn at every chain of this worker's share, again and again for as long as it runs, beside the reading of
 * the chains and never in its way.
 */
export const besideReading = <Chain extends { readonly id: number; readonly pollMs: number }>(
  { log }: Pick<Services, 'log'>,
  { chains, share, trouble }: Beside<Chain>,
  turn: (chain: Chain, signal: AbortSignal) => Promise<unknown>,
): { stop(): Promise<void> } => {
  const stopping = new AbortController()
  const { signal } = stopping

  const watch = async (chain: Chain): Promise<void> => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (isInShare(chain.id, share)) await turn(chain, signal)
        failures = 0
      } catch (err) {
        if (failures++ === 0 && !signal.aborted) log.error({ chain: chain.id, err }, trouble)
      }
      await sleep(chain.pollMs, undefined, { signal }).catch(() => {})
    }
  }

  const watching = Promise.all(chains.map(watch))
  return {
    stop: async () => {
      stopping.abort()
      await watching
    },
  }
}

/** A node that says nothing, or no, has not said anything about the transaction: it is looked for again, as one whose record is locked is. */
export const unlessUnanswered = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcFault || error instanceof RpcRefusal || error instanceof LockedOut) return undefined
    throw error
  }
}
