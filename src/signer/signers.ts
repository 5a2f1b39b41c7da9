import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkerShare } from '../workers/share.ts'
import { openNamedLocks } from './named-locks.ts'
import { signRefund } from './sign.ts'
import { startSignerChecks } from './signer-checks.ts'
import type { SigningServices } from './signing-services.ts'

/** The refund signers of all merchants, in one process. */
export type Signers = {
  /**
   * Signs a refund now, if its merchant has a signer. Returns after 5 s if the chain is slow: signing continues, and
   * failures are retried.
   */
  sign(refundId: string): Promise<void>
  stop(): Promise<void>
}

export const startSigners = (services: SigningServices, share: WorkerShare): Signers => {
  const locks = openNamedLocks()
  const checks = startSignerChecks(services, { share, locks })
  const signing = new Set<Promise<void>>()
  const within = (ms: number, what: Promise<unknown>) => Promise.race([what, sleep(ms, undefined, { ref: false })])
  return {
    sign: async refundId => {
      const signed = signRefund(services, locks, refundId)
      const ended = signed.catch(() => {}).finally(() => signing.delete(ended))
      signing.add(ended)
      await within(CALLER_MS, signed)
    },
    stop: async () => {
      await Promise.all([checks.stop(), within(CALLER_MS, Promise.all(signing))])
    },
  }
}

/** How long a job waits for a signature: all jobs share the same slots. */
const CALLER_MS = 5_000
