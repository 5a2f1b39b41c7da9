import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkerShare } from '../workers/share.ts'
import type { SigningDesk } from './desk.ts'
import { keepSigners } from './keep.ts'
import { openNamedLocks } from './named-locks.ts'
import { signRefund } from './sign.ts'

/** The refund signers of all merchants, as one process works for them. */
export type Signers = {
  /**
   * Signs it now, where its merchant has a signer. A chain that takes its time does not keep the caller: the signing
   * goes on, and what comes to nothing is tried again anyway.
   */
  sign(refundId: string): Promise<void>
  stop(): Promise<void>
}

export const startSigners = (desk: SigningDesk, share: WorkerShare): Signers => {
  const turns = openNamedLocks()
  const keeper = keepSigners(desk, { share, turns })
  const signing = new Set<Promise<void>>()
  const within = (ms: number, what: Promise<unknown>) => Promise.race([what, sleep(ms, undefined, { ref: false })])
  return {
    sign: async refundId => {
      const one = signRefund(desk, turns, refundId)
      const over = one.catch(() => {}).finally(() => signing.delete(over))
      signing.add(over)
      await within(CALLER_MS, one)
    },
    stop: async () => {
      await Promise.all([keeper.stop(), within(CALLER_MS, Promise.all(signing))])
    },
  }
}

/** Jobs of every kind share their workers. */
const CALLER_MS = 5_000
