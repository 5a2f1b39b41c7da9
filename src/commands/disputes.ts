import type { Dispute, DisputeEvent, DisputeOpening, Evidence } from '../../machines/dispute.ts'
import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import { disputeKind } from '../kinds/dispute.ts'
import { ofKind } from '../queries/actors.ts'
import { findDispute, findOpenDispute } from '../queries/disputes.ts'
import type { RecordName } from '../queries/named.ts'
import type { World } from '../world.ts'
import { type By, refuseTwin } from './by.ts'

export type DisputeRequest = Pick<DisputeOpening, 'reason' | 'description'> & {
  /** Undefined: all of the payment. */
  readonly amountMinor: number | undefined
}

/** Opens a dispute as a customer's bank would, which exists in the sandbox only. */
export const openDispute = async (
  { sql, actors, clock, random }: World,
  payment: Actor<Payment>,
  request: DisputeRequest,
  { cause, keep }: By<Dispute>,
): Promise<Actor<Dispute>> => {
  // A success is never left, so it need not be looked at again in the commit.
  const opening = openingOf(payment, request)
  const outcome = await actors.dispatch({
    kind: 'dispute',
    actor: uuidv7(clock.now(), random),
    create: { ...opening },
    cause,
    rows: ([dispute]) => keep(ofKind(disputeKind, dispute)),
  })
  if (outcome.ok) return ofKind(disputeKind, outcome.actor)
  refuseTwin(outcome)
  if (outcome.refusal !== 'dispute_already_open') return refuse('state_conflict')
  const first = await findOpenDispute(sql, payment.id)
  return refuse('dispute_already_open', first && { details: { disputeId: encodeId('dp', first.id) } })
}

/** Adds to what has been said before; what is submitted stands. */
export const giveEvidence = async (
  world: World,
  name: RecordName,
  { evidence, submit }: { readonly evidence: Partial<Evidence>; readonly submit: boolean },
  by: By<Dispute>,
): Promise<Actor<Dispute>> => {
  const dispute = (await findDispute(world.sql, name)) ?? refuse('resource_not_found')
  // Its timer may be late. The time is not.
  if (dispute.context.evidenceDueBy <= world.clock.now())
    refuse('state_conflict', { message: 'The time for evidence is over.' })
  return tell(world, dispute.id, { type: submit ? 'evidence_submitted' : 'evidence_given', evidence }, by)
}

export const resolveDispute = async (
  world: World,
  name: RecordName,
  outcome: 'won' | 'lost',
  by: By<Dispute>,
): Promise<Actor<Dispute>> => {
  const { id } = (await findDispute(world.sql, name)) ?? refuse('resource_not_found')
  return tell(world, id, { type: 'resolve', outcome }, by)
}

type Told = DisputeEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'at'> : never) : never

const tell = async ({ actors }: World, id: string, event: Told, { cause, keep }: By<Dispute>) => {
  const outcome = await actors.dispatch({
    kind: 'dispute',
    actor: id,
    event,
    cause,
    rows: ([dispute]) => keep(ofKind(disputeKind, dispute)),
  })
  if (outcome.ok) return ofKind(disputeKind, outcome.actor)
  refuseTwin(outcome)
  return refuse('state_conflict', { details: { status: outcome.actor?.state } })
}

const openingOf = ({ id: paymentId, state, context }: Actor<Payment>, request: DisputeRequest): DisputeOpening => {
  if (state !== 'success') refuse('payment_not_disputable')
  const { amountMinor = context.amountMinor, reason, description } = request
  if (amountMinor > context.amountMinor)
    refuse('parameter_invalid', { param: 'amountMinor', message: 'The amount is larger than that of the payment.' })
  return {
    merchantId: context.merchantId,
    livemode: context.livemode,
    apiVersion: context.apiVersion,
    paymentId,
    amountMinor,
    currency: context.currency,
    reason,
    description,
  }
}
