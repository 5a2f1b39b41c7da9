import { setTimeout as sleep } from 'node:timers/promises'
import { LockedOut } from '../../actors/command.ts'
import type { Services } from '../../actors/services.ts'
import { isInShare, type WorkerShare } from '../../workers/share.ts'
import { RpcFault, RpcRefusal } from '../rpc/rpc.ts'

export type ChainLoops<Chain> = {
  readonly chains: readonly Chain[]
  readonly share: WorkerShare
  /** The log message when a turn fails. Only the first failure in a row is logged. */
  readonly failureMessage: string
}

/** Runs a loop for each chain of this worker's share until stopped, in parallel to the reading of blocks. */
export const runChainLoops = <Chain extends { readonly id: number; readonly pollMs: number }>(
  { log }: Pick<Services, 'log'>,
  { chains, share, failureMessage }: ChainLoops<Chain>,
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
        if (failures++ === 0 && !signal.aborted) log.error({ chain: chain.id, err }, failureMessage)
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

/**
 * Undefined where a node does not answer or refuses, or the record is locked: nothing is known about the transaction,
 * and it is checked again.
 */
export const unlessUnanswered = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RpcFault || error instanceof RpcRefusal || error instanceof LockedOut) return undefined
    throw error
  }
}
