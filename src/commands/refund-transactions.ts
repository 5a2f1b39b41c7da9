import type { Refund } from '../../machines/refund.ts'
import type { Command } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { refundKind } from '../kinds/refund.ts'
import { ofKind } from '../queries/actors.ts'
import { noticeReported } from '../queries/noticed-transfers.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { findTakeableCredit, reservationCommands } from '../queries/refund-bundles.ts'
import { findRefund } from '../queries/refunds.ts'
import { refuseSpentCredit } from './refunds.ts'
import { refuseState, refuseStateOf } from './state-conflicts.ts'

export type Naming = {
  readonly txHash: string
  readonly cause: string
  /** Whether the chain does not know the transaction that was reported before. */
  readonly isGone: (refund: Actor<Refund>) => Promise<boolean>
}

/**
 * Stores the transaction that is reported to pay a refund; the chain decides about the result. A failed refund starts
 * again with another transaction, if its payment still has the amount. A transaction that no node knows can be
 * replaced: a hash may be mistyped, and wallets replace transactions. Reporting the same transaction again has no
 * effect.
 */
export const nameTransaction = async (
  { sql, actors }: Services,
  name: RecordKey,
  { txHash: hash, cause, isGone }: Naming,
): Promise<Actor<Refund>> => {
  const txHash = hash.toLowerCase()
  let refund = (await findRefund(sql, name)) ?? refuse('resource_not_found')
  for (;;) {
    if (refund.context.txHash === txHash) return refund
    const isOpen = refund.state === 'requires_signature' || refund.state === 'failed'
    if (!isOpen && !(refund.state === 'processing' && (await isGone(refund)))) {
      // The transaction may have paid the refund: it is checked, and the refund then needs attention.
      if (refund.context.destination !== null) await noticeReported(sql, refund, txHash)
      return refuseStateOf(refund)
    }
    refuseUnlookedAt(refund)
    const { creditMinor } = await findTakeableCredit(sql, refund.context)
    const outcome = await actors.dispatchBundle(commandsFor(refund, txHash, { cause, creditMinor }))
    if (outcome.ok) return ofKind(refundKind, outcome.done.at(-1)?.actor)
    if (outcome.constraint === 'refunds_transaction_once')
      return refuse('state_conflict', { param: 'txHash', message: 'This transaction already pays another refund.' })
    // Another request has changed or canceled the refund: try again with its new state.
    const now = (await findRefund(sql, name)) ?? refuse('resource_not_found')
    if (now.rev === refund.rev) {
      refuseSpentCredit(outcome)
      return refuse('refund_exceeds_remaining')
    }
    refund = now
  }
}

/**
 * Lets a failed refund wait for a signature again, if its payment still has the amount. Also a refund whose transaction
 * no node knows, because it may never have been sent.
 */
export const retryRefund = async (
  { sql, actors }: Services,
  name: RecordKey,
  cause: string,
  isGone: Naming['isGone'] = async () => false,
): Promise<Actor<Refund>> => {
  const refund = (await findRefund(sql, name)) ?? refuse('resource_not_found')
  const { id, context } = refund
  if (refund.state === 'processing' && (await isGone(refund))) {
    const event = { type: 'transaction_gone', txHash: context.txHash }
    const outcome = await actors.dispatch({ kind: 'refund', actor: id, event, cause })
    return outcome.ok ? ofKind(refundKind, outcome.actor) : refuseState(outcome)
  }
  if (refund.state !== 'failed') return refuseStateOf(refund)
  refuseUnlookedAt(refund)
  const { creditMinor } = await findTakeableCredit(sql, context)
  const outcome = await actors.dispatchBundle(retryOf(refund, { cause, creditMinor }))
  if (outcome.ok) return ofKind(refundKind, outcome.done[0]?.actor)
  const now = (await findRefund(sql, name)) ?? refuse('resource_not_found')
  refuseUnlookedAt(now)
  if (now.state === 'failed') {
    refuseSpentCredit(outcome)
    return refuse('refund_exceeds_remaining')
  }
  return refuseStateOf(now)
}

/** Refuses a failed refund that has moved money and was not dismissed: it could be paid twice by mistake. */
const refuseUnlookedAt = ({ state, context: { attention } }: Actor<Refund>): void => {
  if (state !== 'failed' || !attention) return
  refuse('state_conflict', {
    details: { status: state, attention },
    message:
      'The failed transaction of this refund has moved money. Check it, resolve the refund with dismiss, then try again.',
  })
}

type Again = { readonly cause: string; readonly creditMinor: number }

const commandsFor = (refund: Actor<Refund>, txHash: string, again: Again): readonly Command[] => {
  const { id, state, context } = refund
  const how = state === 'processing' ? 'transaction_replaced' : 'transaction_sent'
  // Replaces only the transaction that was checked: one that was reported in the meantime must be checked too.
  const instead = state === 'processing' ? { instead: context.txHash } : {}
  const sent: Command = { kind: 'refund', actor: id, event: { type: how, txHash, ...instead }, cause: again.cause }
  return state === 'failed' ? [...retryOf(refund, again), sent] : [sent]
}

const retryOf = ({ id, context }: Actor<Refund>, again: Again): readonly Command[] => [
  { kind: 'refund', actor: id, event: { type: 'retry' }, cause: again.cause },
  ...reservationCommands(context, 'retry', again),
]
