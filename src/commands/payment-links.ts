import type { PaymentLink, PaymentLinkOpening } from '../../machines/payment-link.ts'
import type { Refused } from '../actors/command.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import { paymentLinkKind } from '../kinds/payment-link.ts'
import { ofKind } from '../queries/actors.ts'
import { findPaymentLink, findPaymentLinkByReference } from '../queries/payment-links.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { type Requester, refuseTwin } from './by.ts'

export const createPaymentLink = async (
  services: Services,
  opening: PaymentLinkOpening,
  { cause, responseRows }: Requester<PaymentLink>,
): Promise<Actor<PaymentLink>> => {
  const outcome = await services.actors.dispatch({
    kind: 'payment_link',
    actor: uuidv7(services.clock.now(), services.random),
    create: opening,
    cause,
    rows: ([link]) => responseRows(ofKind(paymentLinkKind, link)),
  })
  return outcome.ok ? ofKind(paymentLinkKind, outcome.actor) : refuseCreation(services, opening, outcome)
}

const refuseCreation = async ({ sql }: Services, opening: PaymentLinkOpening, refused: Refused): Promise<never> => {
  refuseTwin(refused)
  if (refused.refusal !== 'duplicate_reference' || opening.reference === null) return refuse('state_conflict')
  const first = await findPaymentLinkByReference(sql, opening, opening.reference)
  return refuse('duplicate_reference', {
    param: 'reference',
    ...(first && { details: { paymentLinkId: encodeId('plink', first.id) } }),
  })
}

/** Deactivates a link permanently. A link that is already deactivated is returned unchanged. */
export const deactivatePaymentLink = async (
  { sql, actors }: Services,
  name: RecordKey,
  { cause, responseRows }: Requester<PaymentLink>,
): Promise<Actor<PaymentLink>> => {
  // The merchant of a link never changes, so it is not checked again in the commit.
  if (!(await findPaymentLink(sql, name))) refuse('resource_not_found')
  const outcome = await actors.dispatch({
    kind: 'payment_link',
    actor: name.id,
    event: { type: 'deactivate' },
    cause,
    rows: ([link]) => responseRows(ofKind(paymentLinkKind, link)),
  })
  if (outcome.ok) return ofKind(paymentLinkKind, outcome.actor)
  refuseTwin(outcome)
  if (outcome.actor?.state !== 'deactivated') refuse('payment_link_not_active')
  return ofKind(paymentLinkKind, outcome.actor)
}
