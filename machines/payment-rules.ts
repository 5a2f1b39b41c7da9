import { assertEvent, assign, setup } from 'xstate'
import type { Payment, PaymentEvent, PaymentOpening, Scan, Seen } from './payment-events.ts'
import {
  finalSum,
  isAcceptedLate,
  isEnough,
  isFullyRefunded,
  isInTime,
  isOfErasedCustomer,
  isTooMuch,
  stillNeedsAttention,
} from './payment-sums.ts'

export const MINUTE_MS = 60_000

/** The actions and guards that are named in machines/payment.ts. */
export const paymentRules = setup({
  types: {
    context: {} as Payment,
    events: {} as PaymentEvent,
    input: {} as PaymentOpening & { windowMinutes: number; at: Date },
    emitted: {} as {
      type: `payment.${'created' | 'processing' | 'underpaid' | 'succeeded' | 'failed' | 'expired' | 'canceled' | 'late'}`
    },
  },
  actions: {
    pickAsset: assign(({ event }) => {
      assertEvent(event, 'asset_picked')
      const { type: _, at: __, ...pick } = event
      return { ...pick, scan: 0 }
    }),
    recordSeen: assign(({ context, event }) => {
      assertEvent(event, ['enough_seen', 'too_little_seen', 'less_seen', 'reorganized', 'amount_seen'])
      const { scan, amountReceived, payerAddress, txHash, blockNumber } = event
      const now = { scan, amountReceived, payerAddress, txHash, blockNumber }
      return amountReceived < context.amountFinal ? { ...now, ...finalSum(context, amountReceived) } : now
    }),
    finalize: assign(({ context, event }) => {
      assertEvent(event, ['finalized', 'late_accepted', 'late_finalized', 'amount_finalized'])
      const { scan, amountFinal } = event
      const attention = context.attention || isUnexpected(context, event)
      return { scan, ...finalSum(context, amountFinal), attention }
    }),
    setException: assign({
      exception: ({ context: payment }) => {
        if (payment.stray || payment.amountReceived === 0n) return payment.stray
        if (!isEnough(payment, payment.amountReceived)) return 'underpaid'
        return isTooMuch(payment, payment.amountReceived) ? 'overpaid' : null
      },
    }),
    completePayment: assign(({ context: payment, event }) => {
      const tooMuch = isTooMuch(payment, payment.amountFinal)
      return {
        exception: payment.stray ?? (tooMuch ? 'overpaid' : null),
        // Success ends every reason for attention except stray money and money that nothing is due for.
        attention: tooMuch || isUnexpected(payment, event) || (payment.attention && payment.stray !== null),
        failureReason: null,
      }
    }),
    flagOverpayment: assign({ exception: ({ context: { stray } }) => stray ?? 'overpaid', attention: true }),
    flagLate: assign({ exception: 'late', attention: true }),
    flagStray: assign(({ context, event }) => {
      assertEvent(event, 'stray_seen')
      const { stray, finalStrays } = event
      return { stray, finalStrays: Math.max(context.finalStrays, finalStrays), exception: stray, attention: true }
    }),
    flagUnexplainedCollection: assign({ attention: true, collectionUnexplained: true }),
    clearUnexplainedCollection: assign({ collectionUnexplained: false }),
    // While the payment is open, attention has two reasons: stray money and an unexplained collection.
    keepAttentionForStray: assign({ attention: ({ context: { attention, stray } }) => attention && stray !== null }),
    clearStray: assign({
      stray: null,
      attention: ({ context: { attention, collectionUnexplained } }) => attention && collectionUnexplained,
    }),
    // Once per transaction: a node that shows a transfer and removes it again, over and over, would cause events
    // without end.
    recordAnnouncement: assign({ announced: ({ context, event }) => [...context.announced, announcementKey(event)] }),
    // The customer needs time to notice that the transfer is gone and to send it again. Only a transfer that two nodes
    // had shown counts, and only once: otherwise a single node could keep an old price open.
    lengthenWindow: assign(({ context: { expiresAt, quoteExpiresAt, windowLengthened }, event }) => {
      assertEvent(event, ['less_seen', 'reorganized'])
      if (windowLengthened || !event.hasLostAgreed) return {}
      const soonest = new Date(event.at.getTime() + 10 * MINUTE_MS)
      const later = (end: Date) => (end < soonest ? soonest : end)
      // The customer had paid in time, so the price is kept too.
      const ends = { expiresAt: later(expiresAt), quoteExpiresAt: quoteExpiresAt && later(quoteExpiresAt) }
      const isLonger = ends.expiresAt !== expiresAt || ends.quoteExpiresAt !== quoteExpiresAt
      return { ...ends, windowLengthened: isLonger }
    }),
    endWindow: assign({ expiresAt: ({ event }) => event.at }),
    // While there is money at the address no asset can be picked, so the merchant can decide without waiting longer.
    endWindowWithPrice: assign({ expiresAt: ({ context }) => context.quoteExpiresAt ?? context.expiresAt }),
    failMismatched: assign(({ event }) => {
      assertEvent(event, 'submission_failed')
      return { failureReason: event.failureReason }
    }),
    failUnderpaid: assign({ failureReason: 'underpaid', attention: true }),
    // What an erased customer pays of an invoice gives no credit: the merchant has to decide what becomes of it.
    accept: assign({
      failureReason: null,
      attention: ({ context }) => context.invoiceId !== null && isOfErasedCustomer(context),
    }),
    // From here on the accepted asset is the payment's asset: it is shown, counted and refunded.
    switchToStrayAsset: assign(({ context, event }) => {
      assertEvent(event, 'accept')
      const { paidWith } = event
      if (!paidWith) return {}
      const pick = { ...paidWith, quoteRate: null, quoteSource: null, quoteExpiresAt: null }
      return { ...pick, ...finalSum({ ...context, ...pick }, paidWith.amountFinal), exception: context.stray }
    }),
    dismiss: assign({ attention: false }),
    reserveRefund: assign({
      refundsReservedMinor: ({ context, event }) => context.refundsReservedMinor + refundIn(event),
    }),
    releaseRefund: assign({
      refundsReservedMinor: ({ context, event }) => context.refundsReservedMinor - refundIn(event),
    }),
    // A payment that is refunded in full needs no attention, except for stray money.
    clearAttentionIfRefunded: assign({
      attention: ({ context }) => stillNeedsAttention(context, 0),
    }),
    clearAttentionIfExcessRefunded: assign({
      attention: ({ context }) => stillNeedsAttention(context, context.amountMinor),
    }),
    // Implemented in `writes` of src/kinds/payment.ts.
    joinCustomer: () => {},
    joinInvoice: () => {},
    countRefund: assign({ amountRefundedMinor: ({ context, event }) => context.amountRefundedMinor + refundIn(event) }),
  },
  guards: {
    nothingSeen: ({ context }) => context.amountReceived === 0n,
    // Stray money counts too: it has already been applied to the payment as stray, and would not be counted again if
    // its asset were picked now.
    nothingSeenInWindow: ({ context, event }) =>
      context.amountReceived === 0n && context.stray === null && event.at < context.expiresAt,
    enoughInTime: seen(isEnoughInTime),
    enoughInTimeNotAnnounced: seen(
      (payment, now, event) => isEnoughInTime(payment, now) && isNotAnnounced(payment, event),
    ),
    moreInTimeButTooLittle: seen(isMoreInTime),
    moreInTimeButTooLittleNotAnnounced: seen(
      (payment, now, event) => isMoreInTime(payment, now) && isNotAnnounced(payment, event),
    ),
    lessSeen: seen((payment, now) => now.amountReceived < payment.amountReceived),
    noLongerEnough: seen((payment, now) => !isEnough(payment, now.amountReceived)),
    sameAmount: seen((payment, now) => now.amountReceived === payment.amountReceived),
    stillEnough: seen((payment, now) => isEnough(payment, now.amountReceived)),
    // The final amount of an ended payment never goes down: it may have been refunded.
    coversFinalAmount: seen((payment, now) => now.amountReceived >= payment.amountFinal),
    moreFinal: finalized(() => true),
    moreFinalButTooLittle: finalized((payment, sum) => !isEnough(payment, sum)),
    // If stray money was accepted, nothing more is due.
    moreFinalThanDue: finalized((payment, sum) => isTooMuch(payment, sum) || payment.finalStrays > 0),
    enoughFinal: finalized((payment, sum) => isEnough(payment, sum)),
    lateAndAccepted: finalized((payment, sum) => isAcceptedLate(payment, sum)),
    lateAndNotAccepted: finalized((payment, sum) => !isAcceptedLate(payment, sum)),
    strayNotFinal: ({ context }) => context.stray !== null && context.finalStrays === 0,
    noUnexplainedCollection: ({ context }) => !context.collectionUnexplained,
    hasUnexplainedCollection: ({ context }) => context.collectionUnexplained,
    moreFinalStrays: ({ context, event }) => event.type === 'stray_seen' && event.finalStrays > context.finalStrays,
    windowOverNothingSeen: ({ context, event }) => isOver(context, event) && context.amountReceived === 0n,
    windowOverAllFinal: ({ context, event }) =>
      isOver(context, event) && context.amountFinal === context.amountReceived,
    // Stray money alone is accepted only as the asset it came in: see `onlyStraysFinal`.
    someFinalMoney: ({ context }) => context.amountFinal > 0n && (!isFullyRefunded(context) || context.finalStrays > 0),
    onlyStraysFinal: ({ context, event }) =>
      event.type === 'accept' &&
      event.paidWith !== undefined &&
      context.finalStrays > 0 &&
      context.amountFinal === 0n &&
      context.refundsReservedMinor === 0,
    needsAttention: ({ context }) => context.attention,
    priceEndsBeforeWindow: ({ context }) =>
      context.quoteExpiresAt !== null && context.quoteExpiresAt < context.expiresAt,
    testWindowOpen: ({ context, event }) => !context.livemode && event.at < context.expiresAt,
    refundFits: ({ context, event }) =>
      isPositiveUpTo(context.receivedMinor - context.refundsReservedMinor, refundIn(event)),
    refundIsReserved: ({ context, event }) =>
      isPositiveUpTo(context.refundsReservedMinor - context.amountRefundedMinor, refundIn(event)),
  },
})

type GuardArgs = { context: Payment; event: PaymentEvent }

/**
 * A guard on sums read from the chain. They must be of the picked asset, not outdated, and different from what is
 * known.
 */
function seen(check: (payment: Payment, now: Seen, event: PaymentEvent) => boolean) {
  return ({ context: payment, event }: GuardArgs): boolean =>
    'amountReceived' in event &&
    isOfPick(payment, event) &&
    (event.amountReceived !== payment.amountReceived ||
      event.txHash !== payment.txHash ||
      event.blockNumber !== payment.blockNumber) &&
    check(payment, event, event)
}

function isEnoughInTime(payment: Payment, now: Seen): boolean {
  return isInTime(payment, now) && isEnough(payment, now.amountReceived)
}

function isMoreInTime(payment: Payment, now: Seen): boolean {
  return isInTime(payment, now) && now.amountReceived > payment.amountReceived && !isEnough(payment, now.amountReceived)
}

/** At most this many transactions of a payment are announced, of each kind: a node could invent new ones without end. */
const MAX_ANNOUNCED = 16

const announcementKind = ({ type }: PaymentEvent): string => (type === 'enough_seen' ? 'processing' : 'underpaid')

const announcementKey = (event: PaymentEvent): string =>
  `${announcementKind(event)} ${('txHash' in event && event.txHash) || 'without hash'}`

const isNotAnnounced = ({ announced }: Payment, event: PaymentEvent): boolean => {
  const sameKind = announced.filter(each => each.startsWith(announcementKind(event)))
  return sameKind.length < MAX_ANNOUNCED && !sameKind.includes(announcementKey(event))
}

/** A guard on a sum that was read again as canonical and final. It only grows, and never above the amount received. */
function finalized(check: (payment: Payment, sum: bigint) => boolean) {
  return ({ context: payment, event }: GuardArgs): boolean =>
    'amountFinal' in event &&
    isOfPick(payment, event) &&
    event.amountFinal > payment.amountFinal &&
    event.amountFinal <= payment.amountReceived &&
    check(payment, event.amountFinal)
}

const isOfPick = (payment: Payment, read: Scan): boolean =>
  read.chainId === payment.chainId && read.asset === payment.asset && read.scan >= payment.scan

const isOver = (payment: Payment, event: PaymentEvent): boolean =>
  event.type === 'window_over' && event.scannedTo > payment.expiresAt

/** Money for a void invoice, and money of a customer that was erased. */
const isUnexpected = (payment: Payment, event: PaymentEvent): boolean =>
  ('isForVoidInvoice' in event && event.isForVoidInvoice === true) || isOfErasedCustomer(payment)

const refundIn = (event: PaymentEvent): number => ('amountMinor' in event ? event.amountMinor : 0)

const isPositiveUpTo = (max: number, amountMinor: number): boolean => amountMinor >= 1 && amountMinor <= max
