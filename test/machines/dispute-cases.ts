import { type DisputeOpening, disputeMachine } from '../../machines/dispute.ts'
import { largestText, MAX_AMOUNT } from './largest.ts'
import type { Cases } from './table.ts'

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

export const disputes: Cases = {
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
  table: `
    Evidence is collected until it is submitted, or lost for want of an answer.
    new                        | give policy       | stays        |                               | refundPolicy=14 days
    policy given               | give policy       | stays        |                               |
    new, policy given          | submit nothing    | under_review | -evidenceDue +decision        |
    new, policy given          | submit tracking   | under_review | -evidenceDue +decision        | shippingTrackingNumber=1Z
    new, policy given          | submit winning    | under_review | -evidenceDue +decision        | uncategorizedText=winning_evidence
    new, policy given          | submit losing     | under_review | -evidenceDue +decision        | uncategorizedText=losing_evidence
    new, policy given          | after evidenceDue | lost         | -evidenceDue dispute.resolved |

    Two texts decide by themselves; everything may be resolved by hand.
    winning                    | after decision    | won          | -decision dispute.resolved    |
    losing                     | after decision    | lost         | -decision dispute.resolved    |
    submitted, winning, losing | resolve won       | won          | -decision dispute.resolved    |
    submitted, winning, losing | resolve lost      | lost         | -decision dispute.resolved    |
  `,
  minSteps: 20,
  walk: { minSteps: 50 },
  invalidRows: `
    new | state = 'open'                                               | disputes_state
    new | livemode = true                                              | disputes_sandbox
    new | amount_minor = 0                                             | disputes_amount
    new | currency = ''                                                | disputes_currency
    new | reason = 'because'                                           | disputes_reason
    new | description = repeat('a', 1001)                              | disputes_description
    new | refund_policy = repeat('a', 2001)                            | disputes_evidence
    new | uncategorized_text = repeat(chr(1), 2000), refund_policy = repeat(chr(9), 2000), customer_communication = repeat('"', 2000) | disputes_evidence_fits
    new | evidence_due_by = created_at                                 | disputes_due
  `,
  duplicates: `
    new       | state = 'under_review' | state = 'won'                  | disputes_open_once
    submitted | reason = 'general'     | payment_id = gen_random_uuid() | disputes_open_once
  `,
  largest: {
    amountMinor: MAX_AMOUNT,
    // 18 KiB of JSON, the limit of src/commands/disputes.ts.
    ...{ uncategorizedText: largestText(2_000), customerCommunication: largestText(1_070) },
    ...{ shippingTrackingNumber: 'xxxx', refundPolicy: '' },
  },
}
