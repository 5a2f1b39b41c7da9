import type { Refund } from '../../machines/refund.ts'
import type { Command } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import { refuse } from '../errors.ts'
import { refundKind, reservationEventOf } from '../kinds/refund.ts'
import { ofKind } from '../queries/actors.ts'
import type { RecordName } from '../queries/named.ts'
import { noticeTold } from '../queries/noticed-transfers.ts'
import { findRefund } from '../queries/refunds.ts'
import type { World } from '../world.ts'

export type Naming = {
  readonly txHash: string
  readonly cause: string
  /** Whether the chain knows nothing of the transaction that was named before. */
  readonly isGone: (refund: Actor<Refund>) => Promise<boolean>
}

/**
 * Takes somebody's word for which transaction pays a refund; what the chain says of it decides. One that has failed
 * begins anew with another transaction, of what its payment has left; one whose transaction is nowhere is paid with
 * another: a hash may be mistyped, and wallets replace what waits too long. Naming the same one again changes
 * nothing, whatever has become of it.
 */
export const nameTransaction = async (
  { sql, actors }: World,
  name: RecordName,
  { txHash: hash, cause, isGone }: Naming,
): Promise<Actor<Refund>> => {
  const txHash = hash.toLowerCase()
  let refund = (await findRefund(sql, name)) ?? refuse('resource_not_found')
  for (;;) {
    if (refund.context.txHash === txHash) return refund
    const isOpen = refund.state === 'requires_signature' || refund.state === 'failed'
    if (!isOpen && !(refund.state === 'processing' && (await isGone(refund)))) {
      // Whoever names it may have paid with it: if it moved the money, a person is told.
      if (refund.context.destination !== null) await noticeTold(sql, refund, txHash)
      return refuse('state_conflict', { details: { status: refund.state } })
    }
    refuseUnlookedAt(refund)
    const outcome = await actors.dispatchBundle(commandsFor(refund, txHash, cause))
    if (outcome.ok) return ofKind(refundKind, outcome.done.at(-1)?.actor)
    if (outcome.constraint === 'refunds_transaction_once')
      return refuse('state_conflict', { param: 'txHash', message: 'This transaction already pays another refund.' })
    // Somebody was faster, with this transaction or another, or has canceled it.
    const now = (await findRefund(sql, name)) ?? refuse('resource_not_found')
    if (now.rev === refund.rev) return refuse('refund_exceeds_remaining')
    refund = now
  }
}

/**
 * Has one that has failed signed again, as if nothing had been sent: by hand, or by a signer. Of what its payment has
 * left by now. Also one whose transaction is nowhere, which may never have been sent.
 */
export const retryRefund = async (
  { sql, actors }: World,
  name: RecordName,
  cause: string,
  isGone: Naming['isGone'] = async () => false,
): Promise<Actor<Refund>> => {
  const refund = (await findRefund(sql, name)) ?? refuse('resource_not_found')
  const { id, context } = refund
  if (refund.state === 'processing' && (await isGone(refund))) {
    const event = { type: 'transaction_gone', txHash: context.txHash }
    const outcome = await actors.dispatch({ kind: 'refund', actor: id, event, cause })
    return outcome.ok
      ? ofKind(refundKind, outcome.actor)
      : refuse('state_conflict', { details: { status: outcome.actor?.state } })
  }
  if (refund.state !== 'failed') return refuse('state_conflict', { details: { status: refund.state } })
  refuseUnlookedAt(refund)
  const outcome = await actors.dispatchBundle(retryOf(refund, cause))
  if (outcome.ok) return ofKind(refundKind, outcome.done[0]?.actor)
  const now = (await findRefund(sql, name)) ?? refuse('resource_not_found')
  refuseUnlookedAt(now)
  if (now.state === 'failed') return refuse('refund_exceeds_remaining')
  return refuse('state_conflict', { details: { status: now.state } })
}

/** What has failed and moved money is paid once more by nobody who does not know of that. */
const refuseUnlookedAt = ({ state, context: { attention } }: Actor<Refund>): void => {
  if (state !== 'failed' || !attention) return
  refuse('state_conflict', {
    details: { status: state, attention },
    message: 'The failed transaction of this refund has moved money. Check it, resolve the refund with dismiss, then try again.',
  })
}

const commandsFor = (refund: Actor<Refund>, txHash: string, cause: string): readonly Command[] => {
  const { id, state, context } = refund
  const how = state === 'processing' ? 'transaction_replaced' : 'transaction_sent'
  // Of the one that was asked about: whatever somebody has put in its place meanwhile is asked about anew.
  const instead = state === 'processing' ? { instead: context.txHash } : {}
  const sent: Command = { kind: 'refund', actor: id, event: { type: how, txHash, ...instead }, cause }
  return state === 'failed' ? [...retryOf(refund, cause), sent] : [sent]
}

const retryOf = ({ id, context: { paymentId, amountMinor } }: Actor<Refund>, cause: string): readonly Command[] => {
  const type = reservationEventOf.retry
  const retry: Command = { kind: 'refund', actor: id, event: { type: 'retry' }, cause }
  return type ? [retry, { kind: 'payment', actor: paymentId, event: { type, amountMinor }, cause }] : [retry]
}
