import { refundShape } from '../../records/shapes/refund.ts'
import { listShape } from '../../records/shapes/shape.ts'
import { example } from '../../records/shapes/wire.ts'
import type { Docs } from '../openapi/docs.ts'

export const startRefund: Docs = {
  operation: 'startRefund',
  summary: 'Start a refund',
  description:
    'Of a payment that is over and has received something. Without a `destination` the customer is asked for one: exchanges pay from pooled wallets, so the sender of the payment is never assumed. Send the customer to `claimUrl`, a page that takes an address once, for 30 days; whoever has its address can name one, so treat it as you treat a password. When that time is over, cancel the refund and start another. All refunds together never exceed what was received. Under its Idempotency-Key the first answer is repeated, also its `unsignedTransaction` when that has been sent since: whoever signs reads the refund first, and then signs what that shows.',
  answers: { 201: refundShape },
  refusals: [
    'idempotency_key_required',
    'idempotency_key_reused',
    'payment_not_refundable',
    'refund_exceeds_remaining',
    'invalid_destination',
  ],
  example: { amountMinor: 1500, reason: 'requested_by_customer', destination: example.address },
}

export const listRefunds: Docs = {
  operation: 'listRefunds',
  summary: 'List refunds',
  answers: { 200: listShape(refundShape) },
}

export const getRefund: Docs = {
  operation: 'getRefund',
  summary: 'Read a refund',
  answers: { 200: refundShape },
}

export const resolveRefund: Docs = {
  operation: 'resolveRefund',
  summary: 'Say that a person has looked at a refund',
  description:
    'Of one that `attention=true` lists because money moved which nobody waits for: another transaction than its own has paid it, its own has paid more than it should, or has brought the customer something else and failed. It stays as it is. What it waits for otherwise cannot be dismissed, and ends with its cause: its claim has expired (cancel it, and start another), no node has known its transaction for a day (name the right one), nodes cannot say what became of it, a signer has tried for a day to sign it (where its destination refuses the transfer, cancel it, and start another) or to have it mined, or its chain is switched off.',
  answers: { 200: refundShape },
  refusals: ['state_conflict'],
  example: { action: 'dismiss' },
}

export const cancelRefund: Docs = {
  operation: 'cancelRefund',
  summary: 'Cancel a refund',
  description: 'Until its transaction is known. What it had reserved can be refunded again.',
  answers: { 200: refundShape },
  refusals: ['state_conflict'],
}
