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
  summary: 'Say what a person has seen of a refund',
  description:
    'Of one that `attention=true` lists. `dismiss`: money moved which nobody waits for (another transaction than its own has paid it, its own has paid more than it should, or has brought the customer something else and failed), and a person has looked. It stays as it is. `accept`: the money came, as a person has seen. It is `processed`. `fail`: it did not come. It is `failed` with `unproven`, what it had reserved is free again, and a person still has to `dismiss` before it is signed again. Both are for a refund that is `processing` and of whose transaction nodes cannot say what became of it: for a day they have not agreed or have forgotten, the balance of the destination is not clear, it was mined before the refund was asked for and not yet final then, or the number of its signer is used and nobody can show by what. `accept` is also for one that is `failed` while the money that its own transaction moved waits for a person, if the payment still has the amount. What it waits for otherwise ends with its cause: its claim has expired (cancel it, and start another), no node has known its transaction for a day (name the right one, or have it signed again), a signer has tried for a day to sign it (where its destination refuses the transfer, cancel it, and start another) or to have it mined, or its chain is switched off.',
  answers: { 200: refundShape },
  refusals: ['state_conflict', 'refund_exceeds_remaining'],
  example: { action: 'dismiss' },
}

export const cancelRefund: Docs = {
  operation: 'cancelRefund',
  summary: 'Cancel a refund',
  description: 'Until its transaction is known. What it had reserved can be refunded again.',
  answers: { 200: refundShape },
  refusals: ['state_conflict'],
}
