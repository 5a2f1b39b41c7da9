import { type } from 'arktype'
import { type Dispute, disputeMachine } from '../../machines/dispute.ts'
import type { Actor, Kind } from '../actors/kind.ts'
import { actorFields, constantField, idField } from '../fields/every-record.ts'
import { groupOf, recordOf } from '../fields/record.ts'
import { currency, minor, textOrNull, time } from '../fields/wire.ts'
import { lazy } from '../lazy.ts'
import { resources } from '../resources.ts'
import { published } from './published.ts'

export const disputeKind: Kind<Dispute> = {
  name: 'dispute',
  table: resources.dispute.table,
  machine: disputeMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    apiVersion: 'text',
    paymentId: 'uuid',
    amountMinor: 'minor',
    currency: 'text',
    reason: 'text',
    description: 'text',
    uncategorizedText: 'text',
    customerCommunication: 'text',
    shippingTrackingNumber: 'text',
    refundPolicy: 'text',
    evidenceDueBy: 'time',
  },
  // Without the evidence, which contains personal data of the customer.
  history: ['paymentId', 'amountMinor', 'currency', 'reason', 'evidenceDueBy'],
  timers: {
    evidenceDue: ({ evidenceDueBy }) => evidenceDueBy,
    decision: (dispute, at) => (decidesItself(dispute) ? new Date(at.getTime() + 3_000) : null),
  },
  publish: published(dispute => disputeRecord.render(dispute)),
  refusals: { disputes_open_once: 'dispute_already_open', disputes_evidence_fits: 'evidence_too_large' },
}

// Any other evidence waits for `resolve`.
const decidesItself = ({ uncategorizedText }: Dispute): boolean =>
  uncategorizedText === 'winning_evidence' || uncategorizedText === 'losing_evidence'

export const disputeStatus = lazy(() => type.enumerated(...Object.keys(disputeMachine.states)))

export const disputeReason = lazy(() =>
  type(
    "'fraudulent' | 'product_not_received' | 'product_unacceptable' | 'duplicate' | 'credit_not_processed' | 'general'",
  ),
)

export const disputeEvidence = groupOf<Actor<Dispute>>()({
  uncategorizedText: {
    type: textOrNull,
    about:
      'Any other text. Null if not given. In test mode, `winning_evidence` and `losing_evidence` decide the dispute 3 seconds after the evidence is submitted.',
    example: null,
    of: ({ context }) => context.uncategorizedText,
  },
  customerCommunication: {
    type: textOrNull,
    about: 'Messages from the customer. Null if not given.',
    example: null,
    of: ({ context }) => context.customerCommunication,
  },
  shippingTrackingNumber: {
    type: textOrNull,
    about: 'Tracking number of the shipment. Null if not given.',
    example: null,
    of: ({ context }) => context.shippingTrackingNumber,
  },
  refundPolicy: {
    type: textOrNull,
    about: 'Your refund policy. Null if not given.',
    example: null,
    of: ({ context }) => context.refundPolicy,
  },
})

export const disputeRecord = recordOf<Actor<Dispute>>()('Dispute', {
  object: constantField('dispute'),
  id: idField('dispute', dispute => dispute.id),
  paymentId: idField('payment', ({ context }) => context.paymentId),
  merchantId: actorFields.merchantId,
  amountMinor: { type: minor, example: 4900, of: ({ context }) => context.amountMinor },
  currency: { type: currency, example: 'EUR', of: ({ context }) => context.currency },
  reason: { type: disputeReason, example: 'product_not_received', of: ({ context }) => context.reason },
  status: {
    type: disputeStatus,
    about:
      '`needs_response`: waiting for your evidence. `under_review`: evidence was submitted. `won` and `lost` are final.',
    example: 'needs_response',
    of: ({ state }) => state,
  },
  evidence: {
    ...disputeEvidence,
    about: 'Evidence that you have submitted or saved.',
    of: disputeEvidence.render,
  },
  evidenceDueBy: {
    type: time,
    about: 'Deadline for the evidence. If none is submitted by then, the dispute is lost.',
    example: '2026-11-27T12:00:00.000Z',
    of: ({ context }) => context.evidenceDueBy.toISOString(),
  },
  outcome: {
    type: () => type("'won' | 'lost' | null"),
    about: 'Decision of the dispute: `won` or `lost`. Null until it is decided.',
    example: null,
    of: ({ state }) => (state === 'won' || state === 'lost' ? state : null),
  },
  livemode: actorFields.livemode,
  createdAt: actorFields.createdAt,
  updatedAt: actorFields.updatedAt,
})
