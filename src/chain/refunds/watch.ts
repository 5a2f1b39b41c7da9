import type { RefundEvent } from '../../../machines/refund.ts'
import type { Row } from '../../actors/command.ts'
import type { Services } from '../../actors/services.ts'
import { encodeId, uuidFrom } from '../../ids.ts'
import { dispatchGivingCredit } from '../../queries/credit-entries.ts'
import { reservationCommands } from '../../queries/refund-bundles.ts'
import * as query from '../../queries/refund-transactions.ts'
import type { WorkerShare } from '../../workers/share.ts'
import { runChainLoops, unlessUnanswered } from '../watch/chain-loops.ts'
import { assignNoticed, type RefundChain } from './noticed-transfers.ts'
import { verifyTransaction } from './verify-transaction.ts'

/** Transactions checked together. */
const MAX_PER_TURN = 20

/** How many blocks a node may be ahead of the recorded head. */
const MAX_AHEAD = 100

/**
 * Checks the transactions that pay refunds, for as long as it runs. When a transaction is final and two nodes agree on
 * it, its refund becomes processed or failed. Nothing is reported before, so a reorg reverts nothing.
 */
export const watchRefunds = (
  world: Services,
  { chains, share }: { readonly chains: readonly RefundChain[]; readonly share: WorkerShare },
): { stop(): Promise<void> } =>
  runChainLoops(
    world,
    { chains, share, failureMessage: 'check of refund transactions failed, retrying' },
    (chain, signal) => decideRefunds(world, chain, signal),
  )

/**
 * Checks the refunds of one chain that are due. Idempotent, also when run in parallel. Returns how many were checked.
 */
export const decideRefunds = async (world: Services, chain: RefundChain, signal: AbortSignal): Promise<number> => {
  const reach = (await query.isLookDue(world.sql, chain.id)) && (await query.findReach(world.sql, chain.id))
  if (!reach) return 0
  const due = await query.claimRefunds(world.sql, { chainId: chain.id, finalTo: reach.final.number }, MAX_PER_TURN)
  await Promise.all(due.map(each => unlessUnanswered(decide(world, { ...chain, ...reach, signal }, each))))
  await assignNoticed(world, chain, { ...reach, signal })
  return due.length
}

type Own = RefundChain & query.Reach & { readonly signal: AbortSignal }

const decide = async (world: Services, own: Own, due: query.DueRefund): Promise<void> => {
  const { transactions, final, head, signal } = own
  const number = await transactions.blockNumberOf(due.txHash, signal)
  if (number === undefined && (await isLost(world, own, due)))
    return report(world, due, {
      type: 'transaction_failed',
      txHash: due.txHash,
      confirmations: 0,
      failureReason: 'dropped',
    })
  // The next check waits until this block is final. A block number that only a faulty node can report would postpone it
  // forever.
  if (number === undefined || (number ?? 0) > head + MAX_AHEAD) return query.recordRefundLost(world.sql, due)
  if (number === null || number > final.number) return query.recordRefundFound(world.sql, due, number)
  const mined = await transactions.mined(due.txHash, number, final, signal)
  if (!mined) return query.recordRefundDoubt(world.sql, due, 'nodes_disagree')
  const verification = await verifyTransaction(world, own, due, mined)
  if ('doubt' in verification) return query.recordRefundDoubt(world.sql, due, verification.doubt)
  const { failure: failureReason, strayed, rows } = verification
  const verdict = failureReason
    ? { type: 'transaction_failed' as const, failureReason }
    : { type: 'transaction_verified' as const }
  const confirmations = Math.max(head, number) - number + 1
  await report(world, due, { ...verdict, txHash: due.txHash, confirmations, strayed }, rows)
}

/** The sandbox chain may be replaced by one without the transaction. Only a refund signer would send it there again. */
const isLost = async (
  { sql }: Services,
  { transactions, final, signal }: Own,
  due: query.DueRefund,
): Promise<boolean> =>
  due.isChainLost &&
  !(await query.isSignedFor(sql, due.refund.id)) &&
  (await transactions.isUnknown(due.txHash, final, signal)) === true

type Untimed<Event> = Event extends unknown ? Omit<Event, 'at'> : never
type Verdict = Untimed<Extract<RefundEvent, { confirmations: number }>>

/**
 * In one commit with the payment, whose reserved amount becomes refunded or free again. The same verdict has the same
 * command id, so that a crash repeats nothing; a refund that is signed again has another revision.
 */
const report = async (
  { sql, actors, log }: Services,
  due: query.DueRefund,
  verdict: Verdict,
  rows: readonly Row[] = [],
): Promise<void> => {
  const { refund, txHash } = due
  const { chainId } = refund.context
  const cause = `chain:${chainId}`
  const idOf = (actor: string) => uuidFrom(['refund verdict', refund.id, refund.rev, verdict.type, actor])
  const outcome = await dispatchGivingCredit({ actors }, given => [
    { kind: 'refund', actor: refund.id, event: verdict, id: idOf(refund.id), cause, rows },
    ...reservationCommands(refund.context, verdict.type, { cause, idOf, ...given }),
  ])
  // The refund refuses where another worker was faster. A refusal of its payment breaks an invariant.
  if (!outcome.ok && outcome.index > 0)
    log.error({ refund: encodeId('re', refund.id), action: 'bun run audit' }, 'refund outcome refused by its payment')
  // Another refund claimed the same rise first.
  if (!outcome.ok && outcome.constraint === 'refund_rises_pkey')
    await query.recordRefundDoubt(sql, due, 'balance_unclear')
  if (!outcome.ok || !verdict.strayed || outcome.done[0]?.replayed) return
  const why = verdict.type === 'transaction_failed' ? verdict.failureReason : 'paid_more'
  log.warn({ refund: encodeId('re', refund.id), chain: chainId, txHash, why }, 'refund needs attention')
}
