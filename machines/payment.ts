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
        actions: ['takeStray', 'accept', emit({ type: 'payment.succeeded' })],
      },
      { guard: 'someFinalMoney', target: 'success', actions: ['accept', emit({ type: 'payment.succeeded' })] },
    ],
    dismiss: { guard: 'needsAttention', actions: 'dismiss' },
  },
})

/** Expired, failed and canceled payments differ in how they came there; money that still comes is treated alike. */
const ended = paymentRules.createStateConfig({
  on: {
    amount_seen: { guard: 'stillFinal', actions: 'see' },
    late_accepted: {
      guard: 'lateAndWelcome',
      target: 'success',
      actions: ['finalize', 'settle', emit({ type: 'payment.succeeded' })],
    },
    late_finalized: { guard: 'lateAndNotWelcome', actions: ['finalize', 'noteLate', emit({ type: 'payment.late' })] },
    stray_seen: [
      { guard: 'moreFinalStrays', actions: ['noteStray', emit({ type: 'payment.late' })] },
      { actions: 'noteStray' },
    ],
    collection_unexplained: { guard: 'unexplainedIsNew', actions: 'noteUnexplained' },
    collection_gone: { guard: 'collectionMayGo', actions: ['forgetUnexplained', 'forgetGivenBack'] },
    ...decisions.on,
    reserve_refund: { guard: 'refundFits', actions: 'reserveRefund' },
    release_refund: { guard: 'refundIsReserved', actions: 'releaseRefund' },
    refund_processed: { guard: 'refundIsReserved', actions: ['countRefund', 'forgetGivenBack'] },
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
  initial: { target: 'pending', actions: emit({ type: 'payment.created' }) },
  states: {
    pending: {
      on: {
        asset_picked: { guard: 'nothingSeenInWindow', actions: 'pickAsset' },
        enough_seen: [
          {
            guard: 'newEnoughInTime',
            target: 'processing',
            actions: ['see', 'judgeSum', 'noteAnnounced', emit({ type: 'payment.processing' })],
          },
          { guard: 'enoughInTime', target: 'processing', actions: ['see', 'judgeSum'] },
        ],
        too_little_seen: [
          {
            guard: 'newInTimeButTooLittle',
            actions: ['see', 'judgeSum', 'noteAnnounced', emit({ type: 'payment.underpaid' })],
          },
          { guard: 'moreInTimeButTooLittle', actions: ['see', 'judgeSum'] },
        ],
        less_seen: { guard: 'lessSeen', actions: ['see', 'judgeSum', 'lengthenWindow'] },
        amount_seen: { guard: 'stillTheSame', actions: 'see' },
        amount_finalized: { guard: 'moreFinalButTooLittle', actions: 'finalize' },
        submission_failed: {
          guard: 'nothingSeen',
          target: 'failed',
          actions: ['failMismatched', emit({ type: 'payment.failed' })],
        },
        // Money that is seen and not final keeps the payment open.
        window_over: [
          { guard: 'overAndNothingSeen', target: 'expired', actions: emit({ type: 'payment.expired' }) },
          { guard: 'overAndAllFinal', target: 'failed', actions: ['failUnderpaid', emit({ type: 'payment.failed' })] },
        ],
        cancel: { guard: 'nothingSeen', target: 'canceled', actions: emit({ type: 'payment.canceled' }) },
        stray_seen: { actions: 'noteStray' },
        collection_unexplained: { guard: 'unexplainedIsNew', actions: 'noteUnexplained' },
        collection_gone: { guard: 'collectionMayGo', actions: ['forgetUnexplained', 'waitForStray'] },
        stray_gone: { guard: 'strayMayGo', actions: ['forgetStray', 'judgeSum'] },
        ...decisions.on,
        price_missed: { guard: 'outlivesPrice', actions: 'endWindowWithPrice' },
        end_window: { guard: 'testWindowOpen', actions: 'endWindow' },
      },
    },
    processing: {
      on: {
        reorganized: { guard: 'enoughNoMore', target: 'pending', actions: ['see', 'judgeSum', 'lengthenWindow'] },
        amount_seen: { guard: 'stillEnough', actions: ['see', 'judgeSum'] },
        amount_finalized: { guard: 'moreFinalButTooLittle', actions: 'finalize' },
        finalized: {
          guard: 'enoughFinal',
          target: 'success',
          actions: ['finalize', 'settle', emit({ type: 'payment.succeeded' })],
        },
        stray_seen: { actions: 'noteStray' },
        collection_unexplained: { guard: 'unexplainedIsNew', actions: 'noteUnexplained' },
        collection_gone: { guard: 'collectionMayGo', actions: ['forgetUnexplained', 'waitForStray'] },
        stray_gone: { guard: 'strayMayGo', actions: ['forgetStray', 'judgeSum'] },
        dismiss: { guard: 'needsAttention', actions: 'dismiss' },
      },
    },
    // Never left.
    success: {
      on: {
        amount_seen: { guard: 'stillFinal', actions: 'see' },
        amount_finalized: [
          { guard: 'moreFinalThanDue', actions: ['finalize', 'noteExcess'] },
          { guard: 'moreFinal', actions: 'finalize' },
        ],
        stray_seen: { actions: 'noteStray' },
        dismiss: { guard: 'needsAttention', actions: 'dismiss' },
        reserve_refund: { guard: 'refundFits', actions: 'reserveRefund' },
        release_refund: { guard: 'refundIsReserved', actions: 'releaseRefund' },
        refund_processed: { guard: 'refundIsReserved', actions: ['countRefund', 'forgetExcess'] },
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
