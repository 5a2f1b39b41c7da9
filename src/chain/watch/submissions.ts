import type { Mismatch, Stray } from '../../../machines/payment-events.ts'
import type { Command } from '../../actors/command.ts'
import type { Services } from '../../actors/services.ts'
import { uuidFrom } from '../../ids.ts'
import {
  claimSubmissions,
  type DueSubmission,
  type Final,
  findFinal,
  recordSubmissionFound,
} from '../../queries/submissions.ts'
import type { WorkerShare } from '../../workers/share.ts'
import { runChainLoops, unlessUnanswered } from './chain-loops.ts'
import { assetsPaid, mismatchOf } from './mismatch.ts'
import type { TransactionSource } from './transactions.ts'

/** Transactions checked together. */
const MAX_PER_TURN = 20

export type SubmissionChain = {
  readonly id: number
  readonly livemode: boolean
  /** The tokens that payments accept on this chain, in lower case. */
  readonly tokens: readonly string[]
  readonly pollMs: number
  readonly transactions: TransactionSource
}

export type SubmissionOptions = {
  readonly chains: readonly SubmissionChain[]
  readonly share: WorkerShare
}

/**
 * Checks the transactions that customers have submitted, for as long as it runs, in parallel to the reading of blocks.
 * A final transaction that paid something else fails its payment unless money was seen. No submitted transaction makes
 * a payment successful.
 */
export const watchSubmissions = (world: Services, { chains, share }: SubmissionOptions): { stop(): Promise<void> } =>
  runChainLoops(
    world,
    { chains, share, failureMessage: 'check of submitted transactions failed, retrying' },
    (chain, signal) => decideSubmissions(world, chain, { chains, signal }),
  )

type Asked = { readonly chains: readonly SubmissionChain[]; readonly signal: AbortSignal }

/**
 * Checks the submissions of one chain that are due. Idempotent, also when run in parallel. Returns how many were
 * checked.
 */
export const decideSubmissions = async (world: Services, chain: SubmissionChain, asked: Asked): Promise<number> => {
  const final = await findFinal(world.sql, chain.id)
  if (!final) return 0
  const due = await claimSubmissions(world.sql, { chainId: chain.id, finalTo: final.number }, MAX_PER_TURN)
  await Promise.all(due.map(each => unlessUnanswered(decide(world, { ...asked, chain, final }, each))))
  return due.length
}

type Own = Asked & { readonly chain: SubmissionChain; readonly final: Final }

const decide = async (world: Services, own: Own, due: DueSubmission): Promise<void> => {
  const { chain, final, signal } = own
  const number = await chain.transactions.blockNumberOf(due.txHash, signal)
  if (number === null) return
  if (number === undefined) return checkOtherChains(world, own, due)
  const needed = number + extraConfirmations(due, final)
  if (needed > final.number)
    return recordSubmissionFound(world.sql, { paymentId: due.payment.id, txHash: due.txHash }, needed)

  const mined = await chain.transactions.mined(due.txHash, number, final, signal)
  const token = due.payment.context.tokenAddress
  const failureReason = mined && mismatchOf(mined, { token, addresses: due.addresses })
  if (!mined || !failureReason) return
  // A contract may have sent the money in an internal transfer, which the transaction does not show.
  if (token === null && failureReason !== 'reverted' && (await mayBePaid(chain, due, signal))) return
  const assets = assetsPaid(mined, due.addresses)
  await fail(world, due, chain, { failureReason, stray: paidKnownAsset(chain, assets) ? 'wrong_asset' : null })
}

/** How many blocks the merchant requires beyond the usual confirmations. */
const extraConfirmations = ({ payment }: DueSubmission, { confirmations }: Final): number =>
  confirmations === null ? 0 : Math.max(0, (payment.context.confirmationsRequired ?? 0) - confirmations)

/** Looks the transaction up on the other chains of the same mode, because this chain does not have it. */
const checkOtherChains = async (
  world: Services,
  { chain, chains, final, signal }: Own,
  due: DueSubmission,
): Promise<void> => {
  const others = chains.filter(({ id, livemode }) => id !== chain.id && livemode === chain.livemode)
  for (const other of others) {
    const there = await unlessUnanswered(findFinalOn(world, other, due.txHash, signal))
    if (!there) continue
    if (!(await chain.transactions.isUnknown(due.txHash, final, signal))) return
    const stray = paidKnownAsset(other, assetsPaid(there, due.addresses)) ? 'wrong_chain' : null
    return fail(world, due, chain, { failureReason: 'wrong_chain', stray })
  }
}

const findFinalOn = async (world: Services, chain: SubmissionChain, txHash: string, signal: AbortSignal) => {
  const final = await findFinal(world.sql, chain.id)
  const number = final && (await chain.transactions.blockNumberOf(txHash, signal))
  if (!final || typeof number !== 'number' || number > final.number) return undefined
  return chain.transactions.mined(txHash, number, final, signal)
}

/** True unless all addresses are known to be empty. */
const mayBePaid = async ({ transactions }: SubmissionChain, { addresses }: DueSubmission, signal: AbortSignal) => {
  const paid = await Promise.all(addresses.map(address => transactions.wasPaid(address, signal)))
  return paid.some(each => each !== false)
}

/** Whether the transaction paid an asset that the reader records. */
const paidKnownAsset = ({ tokens }: SubmissionChain, assets: readonly (string | null)[]): boolean =>
  assets.some(asset => asset === null || tokens.includes(asset))

type Failure = { readonly failureReason: Mismatch; readonly stray: Stray | null }

/**
 * Fails the payment, and records stray money in the same commit: whether the reader finds the transfer earlier or
 * later, the payment ends the same. The same finding has the same command id, so that a crash repeats nothing. Refused
 * if money was seen meanwhile.
 */
const fail = async (
  { actors }: Services,
  { payment, txHash }: DueSubmission,
  chain: SubmissionChain,
  failure: Failure,
) => {
  const { failureReason, stray } = failure
  const command = (event: { type: string } & Record<string, unknown>): Command => ({
    ...{ kind: 'payment', actor: payment.id, event, cause: `chain:${chain.id}` },
    id: uuidFrom(['submission', payment.id, txHash, failureReason, event.type]),
  })
  const strayIsNews = stray !== null && payment.context.finalStrays === 0
  await actors.dispatchBundle([
    ...(strayIsNews ? [command({ type: 'stray_seen', stray, finalStrays: 1 })] : []),
    command({ type: 'submission_failed', failureReason }),
  ])
}
