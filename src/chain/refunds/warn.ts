import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../actors/services.ts'
import { encodeId } from '../../ids.ts'
import { beginWarnings } from '../../queries/refund-attention.ts'
import type { WorkerShare } from '../../workers/share.ts'

/** At once; the next look tells the rest. */
const MOST = 100
const EVERY_MS = 30_000

export type WarnOptions = {
  /** The chains that are switched on. */
  readonly chainIds: readonly number[]
  readonly share: WorkerShare
}

/**
 * Tells the operator of each refund that waits for a person without anything having happened to it: once, when it
 * begins. By one of the workers; two at once do no harm.
 */
export const warnOfRefunds = (world: Services, { chainIds, share }: WarnOptions): { stop(): Promise<void> } => {
  const stopping = new AbortController()
  const { signal } = stopping
  const warn = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (share().position === 0) await warnOfDueRefunds(world, chainIds)
        failures = 0
      } catch (err) {
        if (failures++ === 0) world.log.error({ err }, 'check for refunds needing attention failed, retrying')
      }
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }
  const warning = warn()
  return {
    stop: async () => {
      stopping.abort()
      await warning
    },
  }
}

export const warnOfDueRefunds = async ({ sql, log }: Pick<Services, 'sql' | 'log'>, chainIds: readonly number[]) => {
  for (const { refundId, chainId, why } of await beginWarnings(sql, chainIds, MOST))
    log.warn({ refund: encodeId('re', refundId), chain: chainId, why }, 'refund needs attention')
}
