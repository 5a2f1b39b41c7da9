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
import { besideReading, unlessUnanswered } from './beside.ts'
import { assetsPaid, mismatchOf } from './mismatch.ts'
import type { TransactionSource } from './transactions.ts'

/** Looked for at once. */
const MOST = 20

export type SubmissionChain = {
  readonly id: number
  readonly livemode: boolean
  /** Those that count as money here, in small letters. */
  readonly tokens: readonly string[]
  readonly pollMs: number
  readonly transactions: TransactionSource
}

export type SubmissionOptions = {
  readonly chains: readonly SubmissionChain[]
  readonly share: WorkerShare
}

/**
 * Looks what became of the transactions that customers say to have paid with, for as long as it runs, beside the
 * reading of the chains and never in its way. One that is final and paid something else fails its payment, unless
 * money was seen; none ever makes a success.
 */
export const watchSubmissions = (world: Services, { chains, share }: SubmissionOptions): { stop(): Promise<void> } =>
  besideReading(
    world,
    { chains, share, trouble: 'check of submitted transactions failed, retrying' },
    (chain, signal) => decideSubmissions(world, chain, { chains, signal }),
  )

type Asked = { readonly chains: readonly SubmissionChain[]; readonly signal: AbortSignal }

/** Those of the payments of one chain whose turn it is. Safe to run twice, and at once. Answers how many were looked for. */
export const decideSubmissions = async (world: Services, chain: SubmissionChain, asked: Asked): Promise<number> => {
  const final = await findFinal(world.sql, chain.id)
  if (!final) return 0
  const due = await claimSubmissions(world.sql, { chainId: chain.id, finalTo: final.number }, MOST)
  await Promise.all(due.map(each => unlessUnanswered(decide(world, { ...asked, chain, final }, each))))
  return due.length
}

type Own = Asked & { readonly chain: SubmissionChain; readonly final: Final }

const decide = async (world: Services, own: Own, due: DueSubmission): Promise<void> => {
  const { chain, final, signal } = own
  const number = await chain.transactions.place(due.txHash, signal)
  if (number === null) return
  if (number === undefined) return lookElsewhere(world, own, due)
  const needed = number + deeperThanUsual(due, final)
  if (needed > final.number)
    return recordSubmissionFound(world.sql, { paymentId: due.payment.id, txHash: due.txHash }, needed)

  const mined = await chain.transactions.mined(due.txHash, number, final, signal)
  const token = due.payment.context.tokenAddress
  const failureReason = mined && mismatchOf(mined, { token, addresses: due.addresses })
  if (!mined || !failureReason) return
  // A contract may have sent it on, of which the transaction itself shows nothing.
  if (token === null && failureReason !== 'reverted' && (await mayBePaid(chain, due, signal))) return
  const assets = assetsPaid(mined, due.addresses)
  await fail(world, due, chain, { failureReason, stray: holds(chain, assets) ? 'wrong_asset' : null })
}

/** So many more blocks its merchant asked to wait for. */
const deeperThanUsual = ({ payment }: DueSubmission, { confirmations }: Final): number =>
  confirmations === null ? 0 : Math.max(0, (payment.context.confirmationsRequired ?? 0) - confirmations)

/** On another chain of the same mode, while this one knows nothing of it. */
const lookElsewhere = async (
  world: Services,
  { chain, chains, final, signal }: Own,
  due: DueSubmission,
): Promise<void> => {
  const others = chains.filter(({ id, livemode }) => id !== chain.id && livemode === chain.livemode)
  for (const other of others) {
    const there = await unlessUnanswered(findFinalOn(world, other, due.txHash, signal))
    if (!there) continue
    if (!(await chain.transactions.lacks(due.txHash, final, signal))) return
    const stray = holds(other, assetsPaid(there, due.addresses)) ? 'wrong_chain' : null
    return fail(world, due, chain, { failureReason: 'wrong_chain', stray })
  }
}

const findFinalOn = async (world: Services, chain: SubmissionChain, txHash: string, signal: AbortSignal) => {
  const final = await findFinal(world.sql, chain.id)
  const number = final && (await chain.transactions.place(txHash, signal))
  if (!final || typeof number !== 'number' || number > final.number) return undefined
  return chain.transactions.mined(txHash, number, final, signal)
}

/** True unless all of them are known to be empty. */
const mayBePaid = async ({ transactions }: SubmissionChain, { addresses }: DueSubmission, signal: AbortSignal) => {
  const paid = await Promise.all(addresses.map(address => transactions.wasPaid(address, signal)))
  return paid.some(each => each !== false)
}

/** Whether something of what the books would find as well is among them. */
const holds = ({ tokens }: SubmissionChain, assets: readonly (string | null)[]): boolean =>
  assets.some(asset => asset === null || tokens.includes(asset))

type Failure = { readonly failureReason: Mismatch; readonly stray: Stray | null }

/**
 * The money that is there is told in the same commit: whether the books find it sooner or later, the payment ends
 * the same. The same finding has the same id, so that a crash repeats nothing. It is refused when money was
 * seen meanwhile.
 */
const fail = async (
  { actors }: Services,
  { payment, txHash }: DueSubmission,
  chain: SubmissionChain,
  failure: Failure,
) => {
  const { failureReason, stray } = failure
  const told = (event: { type: string } & Record<string, unknown>): Command => ({
    ...{ kind: 'payment', actor: payment.id, event, cause: `chain:${chain.id}` },
    id: uuidFrom(['submission', payment.id, txHash, failureReason, event.type]),
  })
  const strayIsNews = stray !== null && payment.context.finalStrays === 0
  await actors.dispatchBundle([
    ...(strayIsNews ? [told({ type: 'stray_seen', stray, finalStrays: 1 })] : []),
    told({ type: 'submission_failed', failureReason }),
  ])
}
