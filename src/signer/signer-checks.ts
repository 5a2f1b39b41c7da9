import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { listSignersWithOpenNonces } from '../queries/refund-signers.ts'
import { listUnsigned } from '../queries/signing.ts'
import { isInShare, type WorkerShare } from '../workers/share.ts'
import { checkSigner, defaultReplacementTimes, type ReplacementTimes } from './check-signer.ts'
import type { NamedLocks } from './named-locks.ts'
import { noAnswerOrThrow } from './no-answer.ts'
import { signRefund } from './sign.ts'
import { isOfSandbox } from './signer-for.ts'
import type { SigningServices } from './signing-services.ts'

/** Maximum per check. */
const MAX_CHECKED = 50
/** The job of a refund gets this much time before the refund is signed here. */
const UNTOUCHED_MS = 5_000
const STOP_MS = 5_000

export type SignerChecksOptions = { readonly share: WorkerShare; readonly locks: NamedLocks }

/**
 * Regularly checks the transactions of signers: sends them again until they are mined, replaces them with a higher fee
 * if that takes long, and records their outcome. Also signs refunds whose job was lost.
 */
export const startSignerChecks = (
  services: SigningServices,
  { share, locks }: SignerChecksOptions,
): { stop(): Promise<void> } => {
  const stopping = new AbortController()
  const { signal } = stopping
  const keep = async (connected: ConnectedChain): Promise<void> => {
    const { id, pollMs } = connected.chain
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (isInShare(id, share)) await checkSignersOfChain(services, locks, connected, { signal })
        failures = 0
      } catch (err) {
        if (failures++ === 0 && !signal.aborted)
          services.log.error({ chain: id, err }, 'check of signed refunds failed, retrying')
      }
      await sleep(2 * pollMs, undefined, { signal }).catch(() => {})
    }
  }
  const keeping = Promise.all(services.chains.all.map(keep))
  return {
    stop: async () => {
      stopping.abort()
      // With a time limit for chains that do not answer. The next process continues.
      await Promise.race([keeping, sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}

/** Checks the signers of a chain once. Safe to run twice, also in parallel. */
export const checkSignersOfChain = async (
  services: SigningServices,
  locks: NamedLocks,
  connected: ConnectedChain,
  { untouchedMs = UNTOUCHED_MS, times = defaultReplacementTimes(connected.chain), signal }: SignerCheckOptions = {},
): Promise<void> => {
  const chainId = connected.chain.id
  const isSandbox = isOfSandbox(services, chainId)
  const unsigned = await listUnsigned(services.sql, { chainId, isSandbox, untouchedMs }, MAX_CHECKED)
  await Promise.all(unsigned.map(id => signRefund(services, locks, id)))
  const faults: unknown[] = []
  for (const signer of await listSignersWithOpenNonces(services.sql, chainId)) {
    if (signal?.aborted) return
    // A failure with one signer must not affect the others.
    await checkSigner(services, connected, signer, times)
      .catch(noAnswerOrThrow)
      .catch(fault => faults.push(fault))
  }
  if (faults.length > 0) throw faults[0]
}

export type SignerCheckOptions = {
  readonly untouchedMs?: number
  readonly times?: ReplacementTimes
  readonly signal?: AbortSignal
}
