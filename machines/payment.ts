import { emit } from 'xstate'
import type { AssetPick } from './payment-events.ts'
import { MINUTE_MS, paymentRules } from './payment-rules.ts'

/** What a person decides about a payment, also while its window is open. */
const decisions = paymentRules.createStateConfig({
  on: {
    accept: [
      {
        guard: 'onlyStraysFinal',
        target: 'success',
        actions: ['switchToStrayAsset', 'accept', emit({ type: 'payment.succeeded' })],
      },
      { guard: 'someFinalMoney', target: 'success', actions: ['accept', emit({ type: 'payment.succeeded' })] },
    ],
    dismiss: { guard: 'needsAttention', actions: 'dismiss' },
  },
})

/** Money that arrives later is treated the same way for expired, failed and canceled payments. */
const ended = paymentRules.createStateConfig({
  on: {
    amount_seen: { guard: 'coversFinalAmount', actions: 'recordSeen' },
    late_accepted: {
      guard: 'lateAndAccepted',
      target: 'success',
      actions: ['finalize', 'completePayment', emit({ type: 'payment.succeeded' })],
    },
    late_finalized: { guard: 'lateAndNotAccepted', actions: ['finalize', 'flagLate', emit({ type: 'payment.late' })] },
    stray_seen: [
      { guard: 'moreFinalStrays', actions: ['flagStray', emit({ type: 'payment.late' })] },
      { actions: 'flagStray' },
    ],
    collection_unexplained: { guard: 'noUnexplainedCollection', actions: 'flagUnexplainedCollection' },
    collection_gone: {
      guard: 'hasUnexplainedCollection',
      actions: ['clearUnexplainedCollection', 'clearAttentionIfRefunded'],
    },
    ...decisions.on,
    reserve_refund: { guard: 'refundFits', actions: 'reserveRefund' },
    release_refund: { guard: 'refundIsReserved', actions: 'releaseRefund' },
    refund_processed: { guard: 'refundIsReserved', actions: ['countRefund', 'clearAttentionIfRefunded'] },
  },
})

export const paymentMachine = paymentRules.createMachine({
  id: 'payment',
  context: ({ input: { windowMinutes, at, ...opening } }) => ({
    ...opening,
    ...nothingPicked,
    expiresAt: new Date(at.getTime() + windowMinutes * MINUTE_MS),
    scan: 0,
    amountReceived: 0n,
    amountFinal: 0n,
    receivedMinor: 0,
    payerAddress: null,
    txHash: null,
    blockNumber: null,
    stray: null,
    finalStrays: 0,
    announced: [],
    collectionUnexplained: false,
    windowLengthened: false,
    exception: null,
    failureReason: null,
    attention: false,
    refundsReservedMinor: 0,
    amountRefundedMinor: 0,
  }),
  initial: { target: 'pending', actions: ['joinCustomer', 'joinInvoice', emit({ type: 'payment.created' })] },
  states: {
    pending: {
      on: {
        asset_picked: { guard: 'nothingSeenInWindow', actions: 'pickAsset' },
        enough_seen: [
          {
            guard: 'enoughInTimeNotAnnounced',
            target: 'processing',
            actions: ['recordSeen', 'setException', 'recordAnnouncement', emit({ type: 'payment.processing' })],
          },
          { guard: 'enoughInTime', target: 'processing', actions: ['recordSeen', 'setException'] },
        ],
        too_little_seen: [
          {
            guard: 'moreInTimeButTooLittleNotAnnounced',
            actions: ['recordSeen', 'setException', 'recordAnnouncement', emit({ type: 'payment.underpaid' })],
          },
          { guard: 'moreInTimeButTooLittle', actions: ['recordSeen', 'setException'] },
        ],
        less_seen: { guard: 'lessSeen', actions: ['recordSeen', 'setException', 'lengthenWindow'] },
        amount_seen: { guard: 'sameAmount', actions: 'recordSeen' },
        amount_finalized: { guard: 'moreFinalButTooLittle', actions: 'finalize' },
        submission_failed: {
          guard: 'nothingSeen',
          target: 'failed',
          actions: ['failMismatched', emit({ type: 'payment.failed' })],
        },
        // While money is seen and not final, the payment stays open.
        window_over: [
          { guard: 'windowOverNothingSeen', target: 'expired', actions: emit({ type: 'payment.expired' }) },
          {
            guard: 'windowOverAllFinal',
            target: 'failed',
            actions: ['failUnderpaid', emit({ type: 'payment.failed' })],
          },
        ],
        cancel: { guard: 'nothingSeen', target: 'canceled', actions: emit({ type: 'payment.canceled' }) },
        stray_seen: { actions: 'flagStray' },
        collection_unexplained: { guard: 'noUnexplainedCollection', actions: 'flagUnexplainedCollection' },
        collection_gone: {
          guard: 'hasUnexplainedCollection',
          actions: ['clearUnexplainedCollection', 'keepAttentionForStray'],
        },
        stray_gone: { guard: 'strayNotFinal', actions: ['clearStray', 'setException'] },
        ...decisions.on,
        price_missed: { guard: 'priceEndsBeforeWindow', actions: 'endWindowWithPrice' },
        end_window: { guard: 'testWindowOpen', actions: 'endWindow' },
      },
    },
    processing: {
      on: {
        reorganized: {
          guard: 'noLongerEnough',
          target: 'pending',
          actions: ['recordSeen', 'setException', 'lengthenWindow'],
        },
        amount_seen: { guard: 'stillEnough', actions: ['recordSeen', 'setException'] },
        amount_finalized: { guard: 'moreFinalButTooLittle', actions: 'finalize' },
        finalized: {
          guard: 'enoughFinal',
          target: 'success',
          actions: ['finalize', 'completePayment', emit({ type: 'payment.succeeded' })],
        },
        stray_seen: { actions: 'flagStray' },
        collection_unexplained: { guard: 'noUnexplainedCollection', actions: 'flagUnexplainedCollection' },
        collection_gone: {
          guard: 'hasUnexplainedCollection',
          actions: ['clearUnexplainedCollection', 'keepAttentionForStray'],
        },
        stray_gone: { guard: 'strayNotFinal', actions: ['clearStray', 'setException'] },
        dismiss: { guard: 'needsAttention', actions: 'dismiss' },
      },
    },
    // A successful payment stays successful.
    success: {
      on: {
        amount_seen: { guard: 'coversFinalAmount', actions: 'recordSeen' },
        amount_finalized: [
          { guard: 'moreFinalThanDue', actions: ['finalize', 'flagOverpayment'] },
          { guard: 'moreFinal', actions: 'finalize' },
        ],
        stray_seen: { actions: 'flagStray' },
        dismiss: { guard: 'needsAttention', actions: 'dismiss' },
        reserve_refund: { guard: 'refundFits', actions: 'reserveRefund' },
        release_refund: { guard: 'refundIsReserved', actions: 'releaseRefund' },
        refund_processed: { guard: 'refundIsReserved', actions: ['countRefund', 'clearAttentionIfExcessRefunded'] },
      },
    },
    expired: ended,
    failed: ended,
    canceled: ended,
  },
})

const nothingPicked: Record<keyof AssetPick, null> = {
  chainId: null,
  asset: null,
  tokenAddress: null,
  decimals: null,
  address: null,
  amountExpected: null,
  confirmationsRequired: null,
  pegged: null,
  quoteRate: null,
  quoteSource: null,
  quoteExpiresAt: null,
}
