import type { PaymentLink, PaymentLinkOpening } from '../../machines/payment-link.ts'
import type { Command, Refused } from '../actors/command.ts'
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

/** What the link of an invoice takes from it. `amountMinor`: what is due. */
type Due = Pick<PaymentLinkOpening, 'merchantId' | 'livemode' | 'amountMinor' | 'currency' | 'assets'>

/**
 * Creates the link of an invoice, in the bundle that finalizes it. The invoice decides which payments are opened, so the
 * link has no limits.
 */
export const createHiddenLink = (id: string, due: Due, cause: string): Command => ({
  kind: 'payment_link',
  actor: id,
  create: {
    ...{ merchantId: due.merchantId, livemode: due.livemode, amountMinor: due.amountMinor, currency: due.currency },
    ...{ title: null, description: null, reference: null, assets: due.assets, maxPayments: null, windowMinutes: 30 },
    ...{ expiresAt: null, successUrl: null, metadata: {}, hidden: true },
  } satisfies PaymentLinkOpening,
  cause,
})

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
  const link = ofKind(paymentLinkKind, outcome.actor)
  if (link.context.hidden) refuse('state_conflict', { message: HIDDEN, details: { status: link.state } })
  return link.state === 'deactivated' ? link : refuse('payment_link_not_active')
}

const HIDDEN = 'The payment link belongs to an invoice and cannot be deactivated. Void the invoice to end it.'
