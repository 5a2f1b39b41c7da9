import type { Dispute, DisputeEvent, DisputeOpening, Evidence } from '../../machines/dispute.ts'
import type { Payment } from '../../machines/payment-events.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import { disputeKind } from '../kinds/dispute.ts'
import { ofKind } from '../queries/actors.ts'
import { findDispute, findOpenDispute } from '../queries/disputes.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { type Requester, refuseTwin } from './by.ts'
import { refuseState } from './state-conflicts.ts'

export type DisputeRequest = Pick<DisputeOpening, 'reason' | 'description'> & {
  /** Undefined: the amount of the payment. */
  readonly amountMinor: number | undefined
}

/** Opens a dispute as the bank of a customer would. Test mode only. */
export const openDispute = async (
  { sql, actors, clock, random }: Services,
  payment: Actor<Payment>,
  request: DisputeRequest,
  { cause, responseRows }: Requester<Dispute>,
): Promise<Actor<Dispute>> => {
  // The status `success` never changes, so it is not checked again in the commit.
  const opening = openingOf(payment, request)
  const outcome = await actors.dispatch({
    kind: 'dispute',
    actor: uuidv7(clock.now(), random),
    create: { ...opening },
    cause,
    rows: ([dispute]) => responseRows(ofKind(disputeKind, dispute)),
  })
  if (outcome.ok) return ofKind(disputeKind, outcome.actor)
  refuseTwin(outcome)
  if (outcome.refusal !== 'dispute_already_open') return refuse('state_conflict')
  const first = await findOpenDispute(sql, payment.id)
  return refuse('dispute_already_open', first && { details: { disputeId: encodeId('dp', first.id) } })
}

/** Limit for all evidence as JSON, so that its event fits into a delivery. */
const MOST_EVIDENCE_KIB = 18

/** Adds to the evidence. Submitted evidence cannot be changed. */
export const giveEvidence = async (
  services: Services,
  name: RecordKey,
  { evidence, submit }: { readonly evidence: Partial<Evidence>; readonly submit: boolean },
  by: Requester<Dispute>,
): Promise<Actor<Dispute>> => {
  const dispute = (await findDispute(services.sql, name)) ?? refuse('resource_not_found')
  // Checked here, because the timer may be late.
  if (dispute.context.evidenceDueBy <= services.clock.now())
    refuse('state_conflict', { message: 'The deadline for evidence (evidenceDueBy) has passed.' })
  // The row checks it again: two parallel requests that fit alone may not fit together.
  if (!fits({ ...dispute.context, ...evidence })) refuseEvidence(evidence)
  const event = { type: submit ? 'evidence_submitted' : 'evidence_given', evidence } as const
  return dispatchEvent(
    services,
    dispute.id,
    event,
    by,
    refusal => refusal === 'evidence_too_large' && refuseEvidence(evidence),
  )
}

export const resolveDispute = async (
  services: Services,
  name: RecordKey,
  outcome: 'won' | 'lost',
  by: Requester<Dispute>,
): Promise<Actor<Dispute>> => {
  const { id } = (await findDispute(services.sql, name)) ?? refuse('resource_not_found')
  return dispatchEvent(services, id, { type: 'resolve', outcome }, by)
}

type UntimedEvent = DisputeEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'at'> : never) : never

const fits = ({ uncategorizedText, customerCommunication, shippingTrackingNumber, refundPolicy }: Evidence): boolean =>
  [uncategorizedText, customerCommunication, shippingTrackingNumber, refundPolicy]
    .map(text => (text === null ? 0 : Buffer.byteLength(JSON.stringify(text))))
    .reduce((sum, bytes) => sum + bytes) <=
  MOST_EVIDENCE_KIB * 1_024

const refuseEvidence = (given: Partial<Evidence>): never =>
  refuse('parameter_invalid', {
    param: Object.entries(given).reduce((longest, next) => (lengthOf(next) > lengthOf(longest) ? next : longest))[0],
    message: `The evidence as a whole would be larger than ${MOST_EVIDENCE_KIB} KiB as JSON.`,
  })

const lengthOf = ([, text]: readonly [string, string | null]): number => text?.length ?? 0

const dispatchEvent = async (
  { actors }: Services,
  id: string,
  event: UntimedEvent,
  { cause, responseRows }: Requester<Dispute>,
  explain: (refusal: string) => unknown = () => {},
) => {
  const outcome = await actors.dispatch({
    kind: 'dispute',
    actor: id,
    event,
    cause,
    rows: ([dispute]) => responseRows(ofKind(disputeKind, dispute)),
  })
  if (outcome.ok) return ofKind(disputeKind, outcome.actor)
  refuseTwin(outcome)
  explain(outcome.refusal)
  return refuseState(outcome)
}

const openingOf = ({ id: paymentId, state, context }: Actor<Payment>, request: DisputeRequest): DisputeOpening => {
  if (state !== 'success') refuse('payment_not_disputable')
  const { amountMinor = context.amountMinor, reason, description } = request
  if (amountMinor > context.amountMinor)
    refuse('parameter_invalid', {
      param: 'amountMinor',
      message: 'amountMinor is larger than the amount of the payment.',
    })
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
