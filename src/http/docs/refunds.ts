import { example } from '../../fields/examples.ts'
import { listShape } from '../../fields/shape.ts'
import { refundReadRecord } from '../../records/refund.ts'
import type { Docs } from './docs.ts'

export const startRefundDocs: Docs = {
  operation: 'startRefund',
  summary: 'Create a refund',
  description:
    'Refunds a payment that has ended and has received money. All refunds of a payment together never exceed the received amount.\n\nWithout a `destination`, the customer is asked for an address. The sender of the payment is not used, because exchanges pay from shared wallets. Send the customer to `claimUrl`. The page accepts one address and expires after 30 days. Anyone with this link can enter an address, so treat it like a password. If it has expired, cancel the refund and create another one.\n\nA repeated request with the same `Idempotency-Key` returns the first response, including an `unsignedTransaction` that may have been sent since. Read the refund again before you sign.',
  answers: { 201: refundReadRecord },
  refusals: [
    'idempotency_key_required',
    'idempotency_key_reused',
    'payment_not_refundable',
    'refund_exceeds_remaining',
    'credit_exceeds_balance',
    'invalid_destination',
  ],
  fields: {
    amountMinor:
      'Amount to refund, in the minor unit of the currency. Default: everything that has not been refunded yet.',
    destination: 'Address that receives the refund. Null or missing: the customer enters it on the claim page.',
    reason: 'Reason that was given when the object was created.',
  },
  example: { amountMinor: 1500, reason: 'requested_by_customer', destination: example.address },
}

export const listRefundsDocs: Docs = {
  operation: 'listRefunds',
  summary: 'List refunds',
  answers: { 200: listShape(refundReadRecord) },
}

export const getRefundDocs: Docs = {
  operation: 'getRefund',
  summary: 'Retrieve a refund',
  answers: { 200: refundReadRecord },
}

export const resolveRefundDocs: Docs = {
  operation: 'resolveRefund',
  summary: 'Resolve a refund that needs attention',
  description: [
    'For refunds that `attention=true` lists. Check the transaction and the destination on the chain first.',
    '- `dismiss`: removes the refund from the list and does not change it. For money that has moved unexpectedly: another transaction has paid the refund, its own transaction has paid too much, or its own transaction has failed to pay it but has brought the customer other money.\n- `accept`: you confirm that the money has arrived. The refund is `processed`.\n- `fail`: you confirm that the money has not arrived. The refund is `failed` with `unproven`, and its amount can be refunded again. It must be dismissed before it can be retried.',
    '`accept` and `fail` are possible for a refund in `processing` if the server cannot determine the result of its transaction: the nodes have not agreed for a day or no longer have the data, the balance of the destination is not conclusive, the transaction was mined before the refund was created and was not final then, or the nonce of the signer was used and no transaction that used it can be found. `accept` is also possible for a failed refund whose own transaction has moved money that needs your attention, if the payment still has the amount.',
    'In these other cases the refund leaves the list when the cause is resolved:',
    '- The claim page has expired: cancel the refund and create another one.\n- No node has known the transaction for a day: report the right one, or retry the refund.\n- A signer has failed for a day to sign the transaction: if the destination refuses the transfer, cancel the refund and create another one.\n- A signed transaction has not been mined for a day.\n- The chain is not enabled on the server any more.',
  ].join('\n\n'),
  answers: { 200: refundReadRecord },
  refusals: ['state_conflict', 'refund_exceeds_remaining', 'credit_exceeds_balance'],
  fields: { action: '`dismiss`, `accept` or `fail`: see the description of the endpoint.' },
  example: { action: 'dismiss' },
}

export const cancelRefundDocs: Docs = {
  operation: 'cancelRefund',
  summary: 'Cancel a refund',
  description:
    'Possible until the transaction of the refund is known. The amount can then be refunded again. If the refund was issued with a credit note, its amount becomes credit of the customer in the same step; a later refund of the payment takes this credit back first. A customer that was erased gets no credit. The credit note does not change.',
  answers: { 200: refundReadRecord },
  refusals: ['state_conflict', 'credit_exceeds_balance'],
}
