import type { Chain } from '../chain/chain.ts'
import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { type Ask, withinTime } from '../chain/rpc/ask.ts'
import { readNumber } from '../chain/rpc/hex.ts'
import { resultOf } from '../chain/rpc/rpc.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { listOpenNonces, type OpenNonce } from '../queries/signer-nonces.ts'
import { closeFinalNonces, dropOpenNonce } from './close-nonces.ts'
import { fillNonceGap } from './fill-nonce-gap.ts'
import { readHighestNonce } from './nonce-counts.ts'
import { replaceLatest } from './replace.ts'
import { broadcastSigned } from './send.ts'
import type { SigningServices } from './signing-services.ts'

/** How long a transaction waits to be mined. */
export type ReplacementTimes = {
  /** Until it is sent again, because a node may have dropped it. */
  readonly resendMs: number
  /** Until it is replaced with a higher fee. See `doublingsOf`. */
  readonly bumpMs: number
}

/** The fee is raised after 15 blocks, but not within a minute on fast chains. */
export const defaultReplacementTimes = ({ blockMs }: Pick<Chain, 'blockMs'>): ReplacementTimes => ({
  resendMs: Math.max(10_000, 2 * blockMs),
  bumpMs: Math.max(60_000, 15 * blockMs),
})

/** Maximum per check, the lowest nonce first, because nonces are mined in order. */
const MAX_CHECKED = 100
const TIMEOUT_MS = 15_000

/** Checks the open transactions of a signer: records outcomes, sends again, replaces, and fills nonce gaps. */
export const checkSigner = async (
  services: SigningServices,
  { rpc }: ConnectedChain,
  signer: Signer,
  { resendMs, bumpMs }: ReplacementTimes,
): Promise<void> => {
  const open = await listOpenNonces(services.sql, { signerId: signer.id }, MAX_CHECKED)
  // Transactions on a sandbox chain that was replaced are gone.
  if (signer.epoch !== null && signer.epoch !== services.sandbox?.epoch()) {
    if (services.sandbox?.epoch() !== undefined) for (const each of open) await dropOpenNonce(services, signer, each)
    return
  }
  const ask = withinTime(rpc, TIMEOUT_MS)
  const minedTo = await readMinedTo(ask, signer.address)
  const mined = open.filter(({ nonce }) => nonce < minedTo)
  if (mined.length > 0) await closeFinalNonces(services, rpc, { signer, mined })

  const waiting = open.filter(({ nonce }) => nonce >= minedTo)
  for (const each of waiting)
    if ((each.sentMsAgo ?? Number.POSITIVE_INFINITY) > resendMs)
      await resend(services, ask, signer, each, each.nonce === minedTo)
  const [first] = waiting
  if (!first || msOut(first) < bumpMs * 2 ** doublingsOf(first)) return
  if (first.nonce === minedTo) return replaceLatest(services, ask, { signer, open: first })
  // Transactions of another program, with nonces that are not in the database, were dropped by all nodes.
  const nonce = Math.max(minedTo, await readHighestNonce(rpc, signer.address))
  if (nonce < first.nonce) await fillNonceGap(services, ask, { signer, nonce })
}

const readMinedTo = async (ask: Ask, address: string): Promise<number> => {
  const [answer] = await ask([{ method: 'eth_getTransactionCount', params: [address, 'latest'] }])
  return readNumber(resultOf(answer), 'a nonce')
}

/**
 * Sends the latest attempt. For the next nonce on the chain, also earlier attempts until a node accepts one: the
 * balance may no longer suffice for the latest.
 */
const resend = async (
  services: SigningServices,
  ask: Ask,
  signer: Signer,
  { nonce, attempts }: OpenNonce,
  isNext: boolean,
): Promise<void> => {
  for (const { raw, txHash: hash } of attempts.slice(isNext ? 0 : -1).toReversed())
    if ((await broadcastSigned(services, ask, { signerId: signer.id, nonce, raw, hash })) !== 'refused') return
}

/**
 * The wait doubles with each attempt that a node accepted, and with each later one that was refused, so that few
 * attempts are signed while all nodes refuse them. When a node accepts the latest attempt, earlier refusals no longer
 * count.
 */
const doublingsOf = ({ attempts }: OpenNonce): number => {
  const taken = attempts.filter(({ isTaken }) => isTaken).length
  const refusedSince = attempts.length - 1 - attempts.findLastIndex(({ isTaken }) => isTaken)
  return taken + refusedSince - 1
}

const msOut = ({ attempts }: OpenNonce): number => attempts.at(-1)?.msAgo ?? 0
