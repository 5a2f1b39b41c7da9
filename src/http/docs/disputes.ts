import { disputeShape } from '../../records/shapes/dispute.ts'
import { listShape } from '../../records/shapes/shape.ts'
import type { Docs } from '../openapi/docs.ts'

export const openDispute: Docs = {
  operation: 'openDispute',
  summary: 'Open a dispute',
  description:
    'As the bank of a customer would: on a success, and one at a time. Unanswered for seven days, it is lost.',
  answers: { 201: disputeShape },
  refusals: ['sandbox_only', 'dispute_already_open', 'payment_not_disputable'],
  example: { reason: 'product_not_received', description: 'It never came.' },
}

export const listDisputes: Docs = {
  operation: 'listDisputes',
  summary: 'List disputes',
  answers: { 200: listShape(disputeShape) },
}

export const getDispute: Docs = {
  operation: 'getDispute',
  summary: 'Read a dispute',
  answers: { 200: disputeShape },
}

export const giveEvidence: Docs = {
  operation: 'giveEvidence',
  summary: 'Give evidence',
  description:
    'What is not named stays as it is. A text has 2,000 characters at most, and all of them together 18 KiB of JSON. Once submitted it is under review: the text `winning_evidence` or `losing_evidence` decides three seconds later, anything else waits to be resolved.',
  answers: { 200: disputeShape },
  refusals: ['state_conflict'],
  example: { uncategorizedText: 'winning_evidence', submit: true },
}

export const resolveDispute: Docs = {
  operation: 'resolveDispute',
  summary: 'Decide a dispute',
  description: 'As the bank would, once it is under review.',
  answers: { 200: disputeShape },
  refusals: ['state_conflict'],
  example: { outcome: 'won' },
}
