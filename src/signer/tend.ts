import type { Chain } from '../chain/chain.ts'
import type { ConnectedChain } from '../chain/enabled/connect.ts'
import { type Ask, withinTime } from '../chain/rpc/ask.ts'
import { readNumber } from '../chain/rpc/hex.ts'
import { resultOf } from '../chain/rpc/rpc.ts'
import type { Signer } from '../queries/refund-signers.ts'
import { listOpenNonces, type OpenNonce } from '../queries/signer-nonces.ts'
import { readHighest } from './counts.ts'
import type { SigningDesk } from './desk.ts'
import { fillNonce } from './fill.ts'
import { replaceLatest } from './replace.ts'
import { broadcastSigned } from './send.ts'
import { dropLost, settleNonces } from './settle.ts'

/** How long one waits for a block. */
export type ReplacementTimes = {
  /** Until what a node should have is sent again: it may have lost it. */
  readonly resendMs: number
  /** Until more is offered; see `doublingsOf`. */
  readonly bumpMs: number
}

/** More is offered after some blocks, and not within a minute on chains that have several a second. */
export const usualPatience = ({ blockMs }: Pick<Chain, 'blockMs'>): ReplacementTimes => ({
  resendMs: Math.max(10_000, 2 * blockMs),
  bumpMs: Math.max(60_000, 15 * blockMs),
})

/** Looked at once, the lowest number first: no other is mined before it. */
const MOST = 100
const TIMEOUT_MS = 15_000

/** Carries on what a signer has begun. */
export const tendSigner = async (
  desk: SigningDesk,
  { rpc }: ConnectedChain,
  signer: Signer,
  { resendMs, bumpMs }: ReplacementTimes,
): Promise<void> => {
  const open = await listOpenNonces(desk.sql, { signerId: signer.id }, MOST)
  // A chain of the sandbox that is gone has taken with it what was sent there.
  if (signer.epoch !== null && signer.epoch !== desk.sandbox?.epoch()) {
    if (desk.sandbox?.epoch() !== undefined) for (const each of open) await dropLost(desk, signer, each)
    return
  }
  const ask = withinTime(rpc, TIMEOUT_MS)
  const minedTo = await readMinedTo(ask, signer.address)
  const mined = open.filter(({ nonce }) => nonce < minedTo)
  if (mined.length > 0) await settleNonces(desk, rpc, { signer, mined })

  const waiting = open.filter(({ nonce }) => nonce >= minedTo)
  for (const each of waiting)
    if ((each.sentMsAgo ?? Number.POSITIVE_INFINITY) > resendMs)
      await resend(desk, ask, signer, each, each.nonce === minedTo)
  const [first] = waiting
  if (!first || msOut(first) < bumpMs * 2 ** doublingsOf(first)) return
  if (first.nonce === minedTo) return replaceLatest(desk, ask, { signer, open: first })
  // Transactions of another program, at nonces that are not in the ledger, were forgotten by all nodes.
  const nonce = Math.max(minedTo, await readHighest(rpc, signer.address))
  if (nonce < first.nonce) await fillNonce(desk, ask, { signer, nonce })
}

const readMinedTo = async (ask: Ask, address: string): Promise<number> => {
  const [answer] = await ask([{ method: 'eth_getTransactionCount', params: [address, 'latest'] }])
  return readNumber(resultOf(answer), 'a nonce')
}

/**
 * The latest attempt. Of the nonce that is next on the chain also the ones before, until a node takes one: the balance
 * may not pay for the latest any more.
 */
const resend = async (
  desk: SigningDesk,
  ask: Ask,
  signer: Signer,
  { nonce, attempts }: OpenNonce,
  isNext: boolean,
): Promise<void> => {
  for (const { raw, txHash: hash } of attempts.slice(isNext ? 0 : -1).toReversed())
    if ((await broadcastSigned(desk, ask, { signerId: signer.id, nonce, raw, hash })) !== 'refused') return
}

/**
 * The wait doubles with each attempt that a node took, and with each one since that none took: while all nodes refuse
 * what is signed, rising fees add few attempts. Once a node takes the latest, the earlier refusals no longer count.
 */
const doublingsOf = ({ attempts }: OpenNonce): number => {
  const taken = attempts.filter(({ isTaken }) => isTaken).length
  const refusedSince = attempts.length - 1 - attempts.findLastIndex(({ isTaken }) => isTaken)
  return taken + refusedSince - 1
}

const msOut = ({ attempts }: OpenNonce): number => attempts.at(-1)?.msAgo ?? 0
