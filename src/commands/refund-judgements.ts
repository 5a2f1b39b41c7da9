import type { Refund } from '../../machines/refund.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { refundKind } from '../kinds/refund.ts'
import { ofKind } from '../queries/actors.ts'
import { dispatchGivingCredit } from '../queries/credit-entries.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { type DecidableDoubt, findDecidableDoubt } from '../queries/refund-attention.ts'
import { findTakeableCredit, reservationCommands } from '../queries/refund-bundles.ts'
import { findDepths } from '../queries/refund-transactions.ts'
import { findRefund } from '../queries/refunds.ts'
import { refuseSpentCredit } from './refunds.ts'
import { refuseState, refuseStateOf } from './state-conflicts.ts'

export type RefundJudgement = {
  /** `accept`: a member confirms that the money arrived; `fail`: that it did not. */
  readonly action: 'accept' | 'fail'
  readonly cause: string
}

/**
 * Stores the decision of a member about the transaction of a refund, if the chain cannot show the result, or shows that
 * it paid something else. The money can still arrive later, so a failed refund must be dismissed before it is signed
 * again.
 */
export const judgeRefund = async (
  { sql, actors }: Services,
  name: RecordKey,
  { action, cause }: RefundJudgement,
): Promise<Actor<Refund>> => {
  const refund = (await findRefund(sql, name)) ?? refuse('resource_not_found')
  const { id, state, context } = refund
  const isFailed = state === 'failed' && action === 'accept'
  const why = isFailed ? movedMoney(refund) : await findDecidableDoubt(sql, id)
  if (!why) return refuseStateOf(refund)

  const confirmations = isFailed ? context.confirmations : ((await findDepths(sql, [id])).get(id) ?? 0)
  const { txHash } = context
  const { creditMinor } = await findTakeableCredit(sql, context)
  const verdict =
    action === 'accept'
      ? { type: 'transaction_verified' }
      : { type: 'transaction_failed', failureReason: 'unproven', strayed: true }
  const outcome = await dispatchGivingCredit({ actors }, given => [
    {
      ...{ kind: 'refund', actor: id, event: { ...verdict, txHash, confirmations }, cause },
      rows: done => [{ table: 'refund_judgements', row: { refund_id: id, rev: done.at(-1)?.rev ?? 0, why } }],
    },
    // The amount was released when the refund failed, and may be used by now.
    ...(isFailed ? reservationCommands(context, 'retry', { cause, creditMinor }) : []),
    ...reservationCommands(context, action === 'accept' ? 'transaction_verified' : 'transaction_failed', {
      ...{ cause, ...given },
    }),
  ])
  if (outcome.ok) return ofKind(refundKind, outcome.done[0]?.actor)
  if (outcome.constraint === 'refunds_transaction_once')
    return refuse('state_conflict', { message: 'The transaction already pays another refund.' })
  refuseSpentCredit(outcome)
  if (isFailed && outcome.index > 0) return refuse('refund_exceeds_remaining')
  // The chain or another member was faster.
  return refuseState(outcome)
}

/** Whether its own transaction, which has failed, has moved money. */
const movedMoney = ({ context }: Actor<Refund>): DecidableDoubt | undefined =>
  context.attention && context.strayTxHash === context.txHash ? 'stray_transfer' : undefined
