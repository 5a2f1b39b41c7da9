import { assertEvent, assign, emit, setup } from 'xstate'

/** Fixed when the refund is asked for; the amount on the chain is at the payment's own quote. */
export type RefundOpening = {
  merchantId: string
  livemode: boolean
  apiVersion: string
  paymentId: string
  amountMinor: number
  currency: string
  reason: 'requested_by_customer' | 'duplicate' | 'fraudulent' | 'overpayment' | 'late_payment' | 'other' | null
  metadata: Record<string, string>
  chainId: number
  asset: string
  tokenAddress: string | null
  amount: bigint
}

export type Refund = RefundOpening & {
  destination: string | null
  /** The transaction it is paid with, also when that one failed. */
  txHash: string | null
  /** When the verdict was given. */
  confirmations: number
  failureReason: RefundFailure | null
  /** Money moved that nobody waits for, with another transaction or with its own: a person must look at it. */
  attention: boolean
  strayTxHash: string | null
}

/**
 * `dropped`: another transaction has used its nonce, so it can never be mined. `unproven`: nodes cannot say what became
 * of it, and a person has seen that the money did not come.
 */
type RefundFailure = 'reverted' | 'wrong_recipient' | 'wrong_asset' | 'amount_mismatch' | 'dropped' | 'unproven'

export type RefundEvent = { at: Date } & (
  | { type: 'destination_named'; destination: string }
  | { type: 'transaction_sent' | 'transaction_gone' | 'stray_transfer_seen'; txHash: string }
  // `instead`: of this one, which somebody has found gone. Of whatever it is paid with, where nothing is said.
  | { type: 'transaction_replaced'; txHash: string; instead?: string | null }
  // `strayed`: it has brought the destination money that is not what the refund is of, or more than that.
  | { type: 'transaction_verified'; txHash: string; confirmations: number; strayed?: boolean }
  | {
      type: 'transaction_failed'
      txHash: string
      confirmations: number
      failureReason: RefundFailure
      strayed?: boolean
    }
  | { type: 'retry' | 'cancel' | 'dismiss' }
)

/**
 * Its amount is reserved on the payment, in the same bundle: with `create` and `retry` goes
 * `reserve_refund`, with `cancel` and `transaction_failed` goes `release_refund`, and with
 * `transaction_verified` goes `refund_processed`. A refund whose destination is known is created
 * and named in one bundle.
 */
export const refundMachine = setup({
  types: {
    context: {} as Refund,
    events: {} as RefundEvent,
    input: {} as RefundOpening & { at: Date },
    emitted: {} as { type: `refund.${'processed' | 'failed' | 'canceled'}` },
  },
  actions: {
    nameDestination: assign(({ event }) => {
      assertEvent(event, 'destination_named')
      return { destination: event.destination }
    }),
    nameTransaction: assign(({ event }) => {
      assertEvent(event, ['transaction_sent', 'transaction_replaced'])
      return { txHash: event.txHash }
    }),
    keepVerdict: assign(({ event }) => {
      assertEvent(event, ['transaction_verified', 'transaction_failed'])
      const { confirmations, txHash, strayed } = event
      const failureReason = event.type === 'transaction_failed' ? event.failureReason : null
      return { confirmations, failureReason, ...(strayed && { strayTxHash: txHash, attention: true }) }
    }),
    startOver: assign({ txHash: null, confirmations: 0, failureReason: null }),
    noteStray: assign(({ event }) => {
      assertEvent(event, 'stray_transfer_seen')
      return { strayTxHash: event.txHash, attention: true }
    }),
    dismiss: assign({ attention: false }),
    // A wake-up for the merchant's own refund signer, or the sandbox's. Without one nobody answers it.
    signRefund: () => {},
    // Rows that change in the commit of the transition: see `writes` of its kind.
    recordBeginning: () => {},
    watchDestination: () => {},
    watchTransaction: () => {},
    unwatchTransaction: () => {},
    noticeGivenUp: () => {},
    closeUnclearNonces: () => {},
    leaveToHand: () => {},
    forgetSigningWait: () => {},
  },
  guards: {
    isItsTransaction: ({ context, event }) => 'txHash' in event && event.txHash === context.txHash,
    isOtherTransaction: ({ context, event }) => 'txHash' in event && event.txHash !== context.txHash,
    takesItsPlace: ({ context, event }) => {
      assertEvent(event, 'transaction_replaced')
      const { txHash, instead = context.txHash } = event
      return txHash !== context.txHash && instead === context.txHash
    },
    // Its own too where that one was given up: nobody expects any more that it is mined.
    isStrayOfFailed: ({ context, event }) =>
      'txHash' in event && (event.txHash !== context.txHash || context.failureReason === 'dropped'),
    hasPaidIt: ({ context, event }) =>
      'txHash' in event &&
      event.txHash === context.txHash &&
      context.attention &&
      context.strayTxHash === context.txHash,
    needsAttention: ({ context }) => context.attention,
    isLookedAt: ({ context }) => !context.attention,
  },
}).createMachine({
  id: 'refund',
  context: ({ input: { at: _, ...opening } }) => ({
    ...opening,
    destination: null,
    txHash: null,
    confirmations: 0,
    failureReason: null,
    attention: false,
    strayTxHash: null,
  }),
  initial: { target: 'requires_destination', actions: 'recordBeginning' },
  states: {
    requires_destination: {
      on: {
        destination_named: { target: 'requires_signature', actions: 'nameDestination' },
        cancel: { target: 'canceled', actions: emit({ type: 'refund.canceled' }) },
      },
    },
    requires_signature: {
      entry: ['watchDestination', 'signRefund'],
      on: {
        transaction_sent: { target: 'processing', actions: 'nameTransaction' },
        cancel: { target: 'canceled', actions: emit({ type: 'refund.canceled' }) },
      },
    },
    // It cannot be canceled any more: the transaction is out, and may be mined whenever it likes.
    processing: {
      entry: ['watchTransaction', 'watchDestination'],
      exit: 'unwatchTransaction',
      on: {
        // A higher fee at the same nonce: another hash, the same payment.
        transaction_replaced: { guard: 'takesItsPlace', actions: ['nameTransaction', 'watchTransaction'] },
        // No node knows it, and nobody is on to send it: the payment need not hear of that.
        transaction_gone: {
          guard: 'isItsTransaction',
          target: 'requires_signature',
          actions: ['startOver', 'noticeGivenUp', 'leaveToHand'],
        },
        transaction_verified: {
          guard: 'isItsTransaction',
          target: 'processed',
          actions: ['keepVerdict', 'closeUnclearNonces', emit({ type: 'refund.processed' })],
        },
        transaction_failed: {
          guard: 'isItsTransaction',
          target: 'failed',
          actions: ['keepVerdict', 'noticeGivenUp', 'closeUnclearNonces', emit({ type: 'refund.failed' })],
        },
      },
    },
    processed: {
      entry: ['watchDestination', 'forgetSigningWait'],
      on: {
        stray_transfer_seen: { guard: 'isOtherTransaction', actions: 'noteStray' },
        dismiss: { guard: 'needsAttention', actions: 'dismiss' },
      },
    },
    failed: {
      entry: 'watchDestination',
      on: {
        // Where money has moved a person looks before it is signed again, which a signer does at once.
        retry: { guard: 'isLookedAt', target: 'requires_signature', actions: ['startOver', 'leaveToHand'] },
        // A person has seen that the money which its transaction moved is the refund's.
        transaction_verified: {
          guard: 'hasPaidIt',
          target: 'processed',
          actions: ['keepVerdict', 'dismiss', emit({ type: 'refund.processed' })],
        },
        stray_transfer_seen: { guard: 'isStrayOfFailed', actions: 'noteStray' },
        dismiss: { guard: 'needsAttention', actions: 'dismiss' },
      },
    },
    canceled: {
      entry: ['watchDestination', 'forgetSigningWait'],
      on: {
        stray_transfer_seen: { actions: 'noteStray' },
        dismiss: { guard: 'needsAttention', actions: 'dismiss' },
      },
    },
  },
})
