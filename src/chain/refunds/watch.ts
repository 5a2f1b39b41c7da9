import type { RefundEvent } from '../../../machines/refund.ts'
import type { Command, Row } from '../../actors/command.ts'
import type { Services } from '../../actors/services.ts'
import { encodeId, uuidFrom } from '../../ids.ts'
import { reservationEventOf } from '../../kinds/refund.ts'
import * as query from '../../queries/refund-transactions.ts'
import type { WorkerShare } from '../../workers/share.ts'
import { besideReading, unlessUnanswered } from '../watch/beside.ts'
import { judge } from './judge.ts'
import { type RefundChain, takeNoticed } from './noticed.ts'

/** Looked at at once. */
const MOST = 20

/** Blocks that a node may know beyond the books. */
const MOST_AHEAD = 100

/**
 * Looks what became of the transactions that refunds are said to be paid with, for as long as it runs. Once one is
 * final, and two nodes say the same of it, its refund is processed or has failed. Before that nothing is told, so a
 * reorganisation takes nothing back.
 */
export const watchRefunds = (
  world: Services,
  { chains, share }: { readonly chains: readonly RefundChain[]; readonly share: WorkerShare },
): { stop(): Promise<void> } =>
  besideReading(world, { chains, share, trouble: 'check of refund transactions failed, retrying' }, (chain, signal) =>
    decideRefunds(world, chain, signal),
  )

/** Those of one chain whose turn it is. Safe to run twice, and at once. Answers how many were looked at. */
export const decideRefunds = async (world: Services, chain: RefundChain, signal: AbortSignal): Promise<number> => {
  const reach = (await query.isLookDue(world.sql, chain.id)) && (await query.findReach(world.sql, chain.id))
  if (!reach) return 0
  const due = await query.claimRefunds(world.sql, { chainId: chain.id, finalTo: reach.final.number }, MOST)
  await Promise.all(due.map(each => unlessUnanswered(decide(world, { ...chain, ...reach, signal }, each))))
  await takeNoticed(world, chain, { ...reach, signal })
  return due.length
}

type Own = RefundChain & query.Reach & { readonly signal: AbortSignal }

const decide = async (world: Services, own: Own, due: query.DueRefund): Promise<void> => {
  const { transactions, final, head, signal } = own
  const number = await transactions.place(due.txHash, signal)
  if (number === undefined && (await isLost(world, own, due)))
    return tell(world, due, {
      type: 'transaction_failed',
      txHash: due.txHash,
      confirmations: 0,
      failureReason: 'dropped',
    })
  // Nobody looks again before its block is final: so far ahead only a node that is wrong could put it out of sight.
  if (number === undefined || (number ?? 0) > head + MOST_AHEAD) return query.lostRefund(world.sql, due)
  if (number === null || number > final.number) return query.foundRefund(world.sql, due, number)
  const mined = await transactions.mined(due.txHash, number, final, signal)
  if (!mined) return query.doubtRefund(world.sql, due, 'nodes_disagree')
  const judgement = await judge(world, own, due, mined)
  if ('doubt' in judgement) return query.doubtRefund(world.sql, due, judgement.doubt)
  const { failure: failureReason, strayed, rows } = judgement
  const verdict = failureReason
    ? { type: 'transaction_failed' as const, failureReason }
    : { type: 'transaction_verified' as const }
  const confirmations = Math.max(head, number) - number + 1
  await tell(world, due, { ...verdict, txHash: due.txHash, confirmations, strayed }, rows)
}

/**
 * The sandbox is a toy, and may come back as another chain without it: nobody sends it again there, other than a
 * signer that has signed it.
 */
const isLost = async (
  { sql }: Services,
  { transactions, final, signal }: Own,
  due: query.DueRefund,
): Promise<boolean> =>
  due.isChainLost &&
  !(await query.isSignedFor(sql, due.refund.id)) &&
  (await transactions.lacks(due.txHash, final, signal)) === true

type Untimed<Event> = Event extends unknown ? Omit<Event, 'at'> : never
type Verdict = Untimed<Extract<RefundEvent, { confirmations: number }>>

/**
 * With the payment, of which a part is refunded or free again. The same verdict has the same id, so that a crash
 * repeats nothing; a refund that is signed again is at another revision.
 */
const tell = async (
  { sql, actors, log }: Services,
  due: query.DueRefund,
  verdict: Verdict,
  rows: readonly Row[] = [],
): Promise<void> => {
  const { refund, txHash } = due
  const { paymentId, amountMinor, chainId } = refund.context
  const command = (kind: string, actor: string, event: { type: string } & Record<string, unknown>): Command => ({
    ...{ kind, actor, event, cause: `chain:${chainId}` },
    id: uuidFrom(['refund verdict', refund.id, refund.rev, event.type]),
  })
  const type = reservationEventOf[verdict.type]
  const outcome = await actors.dispatchBundle([
    { ...command('refund', refund.id, verdict), rows },
    ...(type ? [command('payment', paymentId, { type, amountMinor })] : []),
  ])
  // The refund itself refuses where another worker was faster; that its payment does breaks a promise of the books.
  if (!outcome.ok && outcome.index > 0)
    log.error({ refund: refund.id, action: 'bun run audit' }, 'refund outcome refused by its payment')
  // Another refund was told of the same rise a moment sooner.
  if (!outcome.ok && outcome.constraint === 'refund_rises_pkey') await query.doubtRefund(sql, due, 'balance_unclear')
  if (!outcome.ok || !verdict.strayed || outcome.done[0]?.replayed) return
  const why = verdict.type === 'transaction_failed' ? verdict.failureReason : 'paid_more'
  log.warn({ refund: encodeId('re', refund.id), chain: chainId, txHash, why }, 'refund needs attention')
}
