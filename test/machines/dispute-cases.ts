import { type DisputeOpening, disputeMachine } from '../../machines/dispute.ts'
import type { Subject } from './table.ts'

export const disputeOpening: DisputeOpening = {
  merchantId: '0193a000-0000-7000-8000-000000000001',
  livemode: false,
  apiVersion: '2026-11-20',
  paymentId: '0193a000-0000-7000-8000-000000000003',
  amountMinor: 1000,
  currency: 'USD',
  reason: 'fraudulent',
  description: null,
}

export const disputes: Subject = {
  machine: disputeMachine,
  input: disputeOpening,
  events: {
    'give policy': { type: 'evidence_given', evidence: { refundPolicy: '14 days' } },
    'submit nothing': { type: 'evidence_submitted', evidence: {} },
    'submit tracking': { type: 'evidence_submitted', evidence: { shippingTrackingNumber: '1Z' } },
    'submit winning': { type: 'evidence_submitted', evidence: { uncategorizedText: 'winning_evidence' } },
    'submit losing': { type: 'evidence_submitted', evidence: { uncategorizedText: 'losing_evidence' } },
    'resolve won': { type: 'resolve', outcome: 'won' },
    'resolve lost': { type: 'resolve', outcome: 'lost' },
    'after evidenceDue': { type: 'xstate.after' },
    'after decision': { type: 'xstate.after' },
  },
  situations: {
    new: '',
    'policy given': 'give policy',
    submitted: 'submit tracking',
    winning: 'submit winning',
    losing: 'submit losing',
    won: 'submit nothing, resolve won',
    lost: 'after evidenceDue',
  },
}
