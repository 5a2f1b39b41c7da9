import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../actors/services.ts'
import { encodeId } from '../../ids.ts'
import { beginWarnings } from '../../queries/refund-attention.ts'
import type { WorkerShare } from '../../workers/share.ts'

/** Refunds per check. The next check logs the rest. */
const MAX_PER_CHECK = 100
const EVERY_MS = 30_000

export type WarnOptions = {
  /** The enabled chains. */
  readonly chainIds: readonly number[]
  readonly share: WorkerShare
}

/**
 * Logs each refund that begins to need a person's attention because time has passed, once. It runs in one of the
 * workers; running in two is harmless.
 */
export const logRefundAttention = (world: Services, { chainIds, share }: WarnOptions): { stop(): Promise<void> } => {
  const stopping = new AbortController()
  const { signal } = stopping
  const warn = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (share().position === 0) await logDueRefundAttention(world, chainIds)
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

export const logDueRefundAttention = async (
  { sql, log }: Pick<Services, 'sql' | 'log'>,
  chainIds: readonly number[],
) => {
  for (const { refundId, chainId, why } of await beginWarnings(sql, chainIds, MAX_PER_CHECK))
    log.warn({ refund: encodeId('re', refundId), chain: chainId, why }, 'refund needs attention')
}
