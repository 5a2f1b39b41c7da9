import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { listBusySigners } from '../queries/refund-signers.ts'
import { listUnsigned } from '../queries/signing.ts'
import { isInShare, type WorkerShare } from '../workers/share.ts'
import type { SigningDesk } from './desk.ts'
import type { NamedLocks } from './named-locks.ts'
import { signRefund } from './sign.ts'
import { isOfSandbox } from './signer-for.ts'
import { type ReplacementTimes, tendSigner, usualPatience } from './tend.ts'
import { unanswered } from './unanswered.ts'

/** Looked at once. */
const MOST = 50
/** Whoever was to sign it has had so long. */
const UNTOUCHED_MS = 5_000
const STOP_MS = 5_000

export type KeepOptions = { readonly share: WorkerShare; readonly turns: NamedLocks }

/**
 * Looks after what signers have signed, for as long as it runs: sends again what is in no block, at a higher fee when
 * that lasts, and notes what became of it. Signs what the jobs have left.
 */
export const keepSigners = (desk: SigningDesk, { share, turns }: KeepOptions): { stop(): Promise<void> } => {
  const stopping = new AbortController()
  const { signal } = stopping
  const keep = async (connected: ConnectedChain): Promise<void> => {
    const { id, pollMs } = connected.chain
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (isInShare(id, share)) await tendChain(desk, turns, connected, { signal })
        failures = 0
      } catch (err) {
        if (failures++ === 0 && !signal.aborted)
          desk.log.error({ chain: id, err }, 'check of signed refunds failed, retrying')
      }
      await sleep(2 * pollMs, undefined, { signal }).catch(() => {})
    }
  }
  const keeping = Promise.all(desk.chains.all.map(keep))
  return {
    stop: async () => {
      stopping.abort()
      // A chain that hangs holds nobody up: whatever is left as it is, the next process goes on with.
      await Promise.race([keeping, sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}

/** One look at a chain. Safe to run twice, and at once. */
export const tendChain = async (
  desk: SigningDesk,
  turns: NamedLocks,
  connected: ConnectedChain,
  { untouchedMs = UNTOUCHED_MS, patience = usualPatience(connected.chain), signal }: TendOptions = {},
): Promise<void> => {
  const chainId = connected.chain.id
  const isSandbox = isOfSandbox(desk, chainId)
  const unsigned = await listUnsigned(desk.sql, { chainId, isSandbox, untouchedMs }, MOST)
  await Promise.all(unsigned.map(id => signRefund(desk, turns, id)))
  const faults: unknown[] = []
  for (const signer of await listBusySigners(desk.sql, chainId)) {
    if (signal?.aborted) return
    // One that cannot be looked after is no other one's trouble.
    await tendSigner(desk, connected, signer, patience)
      .catch(unanswered)
      .catch(fault => faults.push(fault))
  }
  if (faults.length > 0) throw faults[0]
}

export type TendOptions = {
  readonly untouchedMs?: number
  readonly patience?: ReplacementTimes
  readonly signal?: AbortSignal
}
