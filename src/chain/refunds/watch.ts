import type { RefundEvent } from '../../../machines/refund.ts'
import type { Command } from '../../actors/command.ts'
import { uuidFrom } from '../../ids.ts'
import { reservationEventOf } from '../../kinds/refund.ts'
import * as query from '../../queries/refund-transactions.ts'
import type { World } from '../../world.ts'
import { besideReading, unlessUnanswered } from '../watch/beside.ts'
import type { Share } from '../watch/share.ts'
import type { Mined, TransactionSource } from '../watch/transactions.ts'
import { takeNoticed } from './noticed.ts'
import { refundNamedIn } from './transfer.ts'
import { failureOf } from './verdict.ts'

/** Looked at at once. */
const MOST = 20

/** Blocks that a node may know beyond the books. */
const MOST_AHEAD = 100

export type RefundChain = {
  readonly id: number
  readonly pollMs: number
  readonly transactions: TransactionSource
}

/**
 * Looks what became of the transactions that refunds are said to be paid with, for as long as it runs. Once one is
 * final, and two nodes say the same of it, its refund is processed or has failed. Before that nothing is told, so a
 * reorganisation takes nothing back.
 */
export const watchRefunds = (
  world: World,
  { chains, share }: { readonly chains: readonly RefundChain[]; readonly share: Share },
): { stop(): Promise<void> } =>
  besideReading(world, { chains, share, trouble: 'transactions of refunds cannot be looked at' }, (chain, signal) =>
    decideRefunds(world, chain, signal),
  )

/** Those of one chain whose turn it is. Safe to run twice, and at once. Answers how many were looked at. */
export const decideRefunds = async (world: World, chain: RefundChain, signal: AbortSignal): Promise<number> => {
  const reach = (await query.isLookDue(world.sql, chain.id)) && (await query.findReach(world.sql, chain.id))
  if (!reach) return 0
  const due = await query.claimRefunds(world.sql, { chainId: chain.id, finalTo: reach.final.number }, MOST)
  await Promise.all(due.map(each => unlessUnanswered(decide(world, { ...chain, ...reach, signal }, each))))
  await takeNoticed(world, chain, { ...reach, signal })
  return due.length
}

type Own = RefundChain & query.Reach & { readonly signal: AbortSignal }

const decide = async (world: World, { transactions, final, head, signal }: Own, due: query.DueRefund) => {
  const number = await transactions.place(due.txHash, signal)
  // Nobody looks again before its block is final: so far ahead only a node that is wrong could put it out of sight.
  if (number === undefined || (number ?? 0) > head + MOST_AHEAD) return query.lostRefund(world.sql, due)
  if (number === null || number > final.number) return query.foundRefund(world.sql, due, number)
  const mined = await transactions.mined(due.txHash, number, final, signal)
  if (!mined) return
  const failureReason = failureOf(mined, due.refund, { namesAnother: await namesAnother(world, due, mined) })
  await tell(world, due, {
    txHash: due.txHash,
    confirmations: Math.max(head, number) - number + 1,
    ...(failureReason ? { type: 'transaction_failed', failureReason } : { type: 'transaction_verified' }),
  })
}

const namesAnother = async ({ sql }: World, { refund }: query.DueRefund, { input }: Mined): Promise<boolean> => {
  const named = refundNamedIn(input)
  // Sixteen bytes at the end may be anything: they are an id where there is such a refund.
  return named !== undefined && named !== refund.id && query.isRefund(sql, named)
}

type Verdict = Omit<Extract<RefundEvent, { confirmations: number }>, 'at'>

/**
 * With the payment, of which a part is refunded or free again. The same verdict has the same id, so that a crash
 * repeats nothing; a refund that is signed again is at another revision.
 */
const tell = async ({ actors, log }: World, { refund }: query.DueRefund, verdict: Verdict): Promise<void> => {
  const { paymentId, amountMinor, chainId } = refund.context
  const command = (kind: string, actor: string, event: { type: string } & Record<string, unknown>): Command => ({
    ...{ kind, actor, event, cause: `chain:${chainId}` },
    id: uuidFrom(['refund verdict', refund.id, refund.rev, event.type]),
  })
  const type = reservationEventOf[verdict.type]
  const outcome = await actors.dispatchBundle([
    command('refund', refund.id, verdict),
    ...(type ? [command('payment', paymentId, { type, amountMinor })] : []),
  ])
  // The refund itself refuses where another worker was faster; that its payment does breaks a promise of the books.
  if (!outcome.ok && outcome.index > 0) log.error({ refund: refund.id }, 'the payment of a refund refuses its verdict')
}
