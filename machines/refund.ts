import { assertEvent, assign, emit, setup } from 'xstate'

/** Fixed when the refund is created. `amount` is in atomic units, at the payment's own quote. */
export type RefundOpening = {
  merchantId: string
  livemode: boolean
  apiVersion: string
  paymentId: string
  /** The invoice of the payment. */
  invoiceId: string | null
  /** The credit note that the refund was issued with. */
  creditNoteId: string | null
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
  /** The transaction that pays the refund, also if it failed. */
  txHash: string | null
  /** Confirmations when the outcome was recorded. */
  confirmations: number
  failureReason: RefundFailure | null
  /** Money moved unexpectedly, with another transaction or with this refund's own. A person must look at it. */
  attention: boolean
  strayTxHash: string | null
}

/**
 * `dropped`: another transaction has used its nonce, so it can never be mined. `unproven`: the nodes cannot show the
 * outcome, and a person has reported that the money did not arrive.
 */
type RefundFailure = 'reverted' | 'wrong_recipient' | 'wrong_asset' | 'amount_mismatch' | 'dropped' | 'unproven'

export type RefundEvent = { at: Date } & (
  | { type: 'destination_named'; destination: string }
  | { type: 'transaction_sent' | 'transaction_gone' | 'stray_transfer_seen'; txHash: string }
  // `instead`: the hash to be replaced. If it is not given, whatever hash the refund has is replaced.
  | { type: 'transaction_replaced'; txHash: string; instead?: string | null }
  // `strayed`: the transaction moved other money to the destination than the refund's, or more.
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
 * The amount of a refund is reserved on its payment, in the same bundle: `create` and `retry` are bundled with
 * `reserve_refund`, `cancel` and `transaction_failed` with `release_refund`, and `transaction_verified` with
 * `refund_processed`. If the destination is known, `create` and `destination_named` are one bundle.
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
    recordOutcome: assign(({ event }) => {
      assertEvent(event, ['transaction_verified', 'transaction_failed'])
      const { confirmations, txHash, strayed } = event
      const failureReason = event.type === 'transaction_failed' ? event.failureReason : null
      return { confirmations, failureReason, ...(strayed && { strayTxHash: txHash, attention: true }) }
    }),
    clearTransaction: assign({ txHash: null, confirmations: 0, failureReason: null }),
    flagStray: assign(({ event }) => {
      assertEvent(event, 'stray_transfer_seen')
      return { strayTxHash: event.txHash, attention: true }
    }),
    dismiss: assign({ attention: false }),
    // Wakes the merchant's own refund signer, or the sandbox's. Without a signer it does nothing.
    signRefund: () => {},
    // These write rows of other tables in the same commit: see `writes` in src/kinds/refund.ts.
    recordBeginning: () => {},
    watchDestination: () => {},
    watchTransaction: () => {},
    unwatchTransaction: () => {},
    watchGivenUpTransaction: () => {},
    closeUnclearNonces: () => {},
    leaveToManualSigning: () => {},
    clearSigningWait: () => {},
  },
  guards: {
    isItsTransaction: ({ context, event }) => 'txHash' in event && event.txHash === context.txHash,
    isOtherTransaction: ({ context, event }) => 'txHash' in event && event.txHash !== context.txHash,
    replacesItsTransaction: ({ context, event }) => {
      assertEvent(event, 'transaction_replaced')
      const { txHash, instead = context.txHash } = event
      return txHash !== context.txHash && instead === context.txHash
    },
    // Includes its own transaction if that was dropped: it is not expected to be mined any more.
    isStrayOfFailed: ({ context, event }) =>
      'txHash' in event && (event.txHash !== context.txHash || context.failureReason === 'dropped'),
    strayIsItsTransaction: ({ context, event }) =>
      'txHash' in event &&
      event.txHash === context.txHash &&
      context.attention &&
      context.strayTxHash === context.txHash,
    needsAttention: ({ context }) => context.attention,
    needsNoAttention: ({ context }) => !context.attention,
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
    // Cannot be canceled: the transaction was broadcast and may be mined at any time.
    processing: {
      entry: ['watchTransaction', 'watchDestination'],
      exit: 'unwatchTransaction',
      on: {
        // A higher fee at the same nonce: the hash changes, the payment does not.
        transaction_replaced: { guard: 'replacesItsTransaction', actions: ['nameTransaction', 'watchTransaction'] },
        // No node knows the transaction, and no signer will send it again. The amount stays reserved on the payment.
        transaction_gone: {
          guard: 'isItsTransaction',
          target: 'requires_signature',
          actions: ['clearTransaction', 'watchGivenUpTransaction', 'leaveToManualSigning'],
        },
        transaction_verified: {
          guard: 'isItsTransaction',
          target: 'processed',
          actions: ['recordOutcome', 'closeUnclearNonces', emit({ type: 'refund.processed' })],
        },
        transaction_failed: {
          guard: 'isItsTransaction',
          target: 'failed',
          actions: ['recordOutcome', 'watchGivenUpTransaction', 'closeUnclearNonces', emit({ type: 'refund.failed' })],
        },
      },
    },
    processed: {
      entry: ['watchDestination', 'clearSigningWait'],
      on: {
        stray_transfer_seen: { guard: 'isOtherTransaction', actions: 'flagStray' },
        dismiss: { guard: 'needsAttention', actions: 'dismiss' },
      },
    },
    failed: {
      entry: 'watchDestination',
      on: {
        // If money has moved, a person must look first: after a retry a signer signs immediately.
        retry: {
          guard: 'needsNoAttention',
          target: 'requires_signature',
          actions: ['clearTransaction', 'leaveToManualSigning'],
        },
        // A person has confirmed that the money moved by its transaction is the refund's.
        transaction_verified: {
          guard: 'strayIsItsTransaction',
          target: 'processed',
          actions: ['recordOutcome', 'dismiss', emit({ type: 'refund.processed' })],
        },
        stray_transfer_seen: { guard: 'isStrayOfFailed', actions: 'flagStray' },
        dismiss: { guard: 'needsAttention', actions: 'dismiss' },
      },
    },
    canceled: {
      entry: ['watchDestination', 'clearSigningWait'],
      on: {
        stray_transfer_seen: { actions: 'flagStray' },
        dismiss: { guard: 'needsAttention', actions: 'dismiss' },
      },
    },
  },
})
