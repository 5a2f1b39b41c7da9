import { listShape } from '../../fields/shape.ts'
import { disputeEvidence, disputeRecord } from '../../kinds/dispute.ts'
import type { Docs } from './docs.ts'

export const openDisputeDocs: Docs = {
  operation: 'openDispute',
  summary: 'Open a dispute',
  description:
    'Simulates a dispute by the bank of the customer. The payment must have the status `success` and no open dispute. Without evidence, the dispute is lost after 7 days.',
  answers: { 201: disputeRecord },
  refusals: ['sandbox_only', 'dispute_already_open', 'payment_not_disputable'],
  fields: {
    amountMinor: 'Disputed amount, in the minor unit of the currency. Default: the amount of the payment.',
    description: 'Statement of the customer.',
  },
  example: { reason: 'product_not_received', description: 'It never came.' },
}

export const listDisputesDocs: Docs = {
  operation: 'listDisputes',
  summary: 'List disputes',
  answers: { 200: listShape(disputeRecord) },
}

export const getDisputeDocs: Docs = {
  operation: 'getDispute',
  summary: 'Retrieve a dispute',
  answers: { 200: disputeRecord },
}

export const giveEvidenceDocs: Docs = {
  operation: 'giveEvidence',
  summary: 'Add evidence',
  description:
    'Fields that are not sent do not change. Each field has at most 2,000 characters, and all together at most 18 KiB as JSON. With `submit`, the dispute is under review. `winning_evidence` or `losing_evidence` in `uncategorizedText` decides it 3 seconds later. With other evidence it stays under review until `POST /v1/disputes/:id/resolve`.',
  answers: { 200: disputeRecord },
  refusals: ['state_conflict'],
  fields: {
    ...disputeEvidence.inside,
    submit: 'True submits the evidence: the dispute is then under review, and the evidence can no longer be changed.',
  },
  example: { uncategorizedText: 'winning_evidence', submit: true },
}

export const resolveDisputeDocs: Docs = {
  operation: 'resolveDispute',
  summary: 'Resolve a dispute',
  description: 'Simulates the decision of the bank. The dispute must be under review.',
  answers: { 200: disputeRecord },
  refusals: ['state_conflict'],
  example: { outcome: 'won' },
}
