import type { InvoiceEvent } from '../../machines/invoice-events.ts'
import type { PaymentEvent } from '../../machines/payment-events.ts'
import { type Refund, type RefundEvent, refundMachine } from '../../machines/refund.ts'
import type { Kind } from '../actors/kind.ts'
import { resources } from '../resources.ts'
import { published } from './published.ts'
import { refundRecord } from './refund-record.ts'

export const refundKind: Kind<Refund> = {
  name: 'refund',
  table: resources.refund.table,
  machine: refundMachine,
  version: 1,
  columns: {
    merchantId: 'uuid',
    livemode: 'boolean',
    apiVersion: 'text',
    paymentId: 'uuid',
    invoiceId: 'uuid',
    creditNoteId: 'uuid',
    amountMinor: 'minor',
    currency: 'text',
    reason: 'text',
    metadata: 'json',
    chainId: 'minor',
    asset: 'text',
    tokenAddress: 'text',
    amount: 'atomic',
    destination: 'text',
    txHash: 'text',
    confirmations: 'integer',
    failureReason: 'text',
    attention: 'boolean',
    strayTxHash: 'text',
  },
  history: [
    'paymentId',
    'amountMinor',
    'currency',
    'reason',
    'chainId',
    'asset',
    'amount',
    'destination',
    'txHash',
    'failureReason',
    'attention',
    'strayTxHash',
  ],
  effects: {
    // One job per refund. The signer checks the refund's row before it signs, so a repeated job is harmless.
    signRefund: ({ id }) => ({ task: 'sign-refund', payload: { refundId: id }, key: `sign-refund:${id}` }),
  },
  writes: {
    recordBeginning: () => ({ function: 'record_refund_beginning' }),
    watchDestination: ({ state, context }) =>
      context.destination === null ? null : { function: 'watch_refund_destination', given: { state } },
    watchTransaction: ({ context: { txHash } }) => ({ function: 'watch_refund_transaction', given: { txHash } }),
    unwatchTransaction: () => ({ function: 'unwatch_refund_transaction' }),
    watchGivenUpTransaction: ({ state, context: { failureReason } }, before) =>
      state === 'failed' && failureReason !== 'dropped'
        ? null
        : { function: 'notice_given_up_transaction', given: { txHash: before?.context.txHash } },
    closeUnclearNonces: ({ context: { failureReason } }) => ({
      function: 'close_unclear_nonces',
      given: { isDropped: failureReason === 'unproven' || failureReason === 'dropped' },
    }),
    leaveToManualSigning: (_, before) => ({
      function: 'leave_refund_to_hand',
      given: { txHash: before?.context.txHash },
    }),
    clearSigningWait: () => ({ function: 'forget_signing_wait' }),
  },
  publish: published(refund => refundRecord.render(refund, {})),
  refusals: {
    refunds_transaction_once: 'state_conflict',
    signer_nonces_are_signed_for: 'not_to_be_signed',
    signer_nonces_not_on_hold: 'not_to_be_signed',
  },
}

export type ReservationEvent = Extract<PaymentEvent, { amountMinor: number }>['type']

type RefundEventOfInvoice = Extract<InvoiceEvent['type'], `refund_${string}`>

/** Events of a payment about its refunds, and the event of the payment's invoice in the same bundle. */
export const invoiceRefundEventOf: { readonly [Type in ReservationEvent]: RefundEventOfInvoice } = {
  reserve_refund: 'refund_reserved',
  release_refund: 'refund_released',
  refund_processed: 'refund_processed',
}

/** Events of a refund, including `create`, and the payment's event in the same bundle, with the refund's amount. */
export const reservationEventOf: {
  readonly [Type in RefundEvent['type'] | 'create']?: ReservationEvent
} = {
  create: 'reserve_refund',
  retry: 'reserve_refund',
  cancel: 'release_refund',
  transaction_failed: 'release_refund',
  transaction_verified: 'refund_processed',
}
