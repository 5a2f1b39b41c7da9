import { type Dispute, disputeMachine } from '../../machines/dispute.ts'
import type { Kind } from '../actors/kind.ts'
import { resources } from '../resources.ts'
import { disputeRecord } from './dispute-record.ts'

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
  publish: (_type, dispute) => ({
    merchantId: dispute.context.merchantId,
    livemode: dispute.context.livemode,
    apiVersion: dispute.context.apiVersion,
    object: disputeRecord(dispute),
  }),
  refusals: { disputes_open_once: 'dispute_already_open', disputes_evidence_fits: 'evidence_too_large' },
}

// Any other evidence waits for `resolve`.
const decidesItself = ({ uncategorizedText }: Dispute): boolean =>
  uncategorizedText === 'winning_evidence' || uncategorizedText === 'losing_evidence'
