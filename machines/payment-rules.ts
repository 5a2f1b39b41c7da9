import { assertEvent, assign, setup } from 'xstate'
import type { Payment, PaymentEvent, PaymentOpening, Scan, Seen } from './payment-events.ts'
import { finalSum, isEnough, isGivenBack, isInTime, isStillWaiting, isTooMuch, isWelcomeLate } from './payment-sums.ts'

export const MINUTE_MS = 60_000

/** What the names in the table of machines/payment.ts mean. */
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
    see: assign(({ context, event }) => {
      assertEvent(event, ['enough_seen', 'too_little_seen', 'less_seen', 'reorganized', 'amount_seen'])
      const { scan, amountReceived, payerAddress, txHash, blockNumber } = event
      const now = { scan, amountReceived, payerAddress, txHash, blockNumber }
      return amountReceived < context.amountFinal ? { ...now, ...finalSum(context, amountReceived) } : now
    }),
    finalize: assign(({ context, event }) => {
      assertEvent(event, ['finalized', 'late_accepted', 'late_finalized', 'amount_finalized'])
      return { scan: event.scan, ...finalSum(context, event.amountFinal) }
    }),
    judgeSum: assign({
      exception: ({ context: payment }) => {
        if (payment.stray || payment.amountReceived === 0n) return payment.stray
        if (!isEnough(payment, payment.amountReceived)) return 'underpaid'
        return isTooMuch(payment, payment.amountReceived) ? 'overpaid' : null
      },
    }),
    settle: assign(({ context: payment }) => {
      const tooMuch = isTooMuch(payment, payment.amountFinal)
      return {
        exception: payment.stray ?? (tooMuch ? 'overpaid' : null),
        // What it waited for a person with is over, all but money that went astray.
        attention: tooMuch || (payment.attention && payment.stray !== null),
        failureReason: null,
      }
    }),
    noteExcess: assign({ exception: ({ context: { stray } }) => stray ?? 'overpaid', attention: true }),
    noteLate: assign({ exception: 'late', attention: true }),
    noteStray: assign(({ context, event }) => {
      assertEvent(event, 'stray_seen')
      const { stray, finalStrays } = event
      return { stray, finalStrays: Math.max(context.finalStrays, finalStrays), exception: stray, attention: true }
    }),
    noteUnexplained: assign({ attention: true, collectionUnexplained: true }),
    forgetUnexplained: assign({ collectionUnexplained: false }),
    // Before its end, only such money needs a person besides an unexplained collection.
    waitForStray: assign({ attention: ({ context: { attention, stray } }) => attention && stray !== null }),
    forgetStray: assign({
      stray: null,
      attention: ({ context: { attention, collectionUnexplained } }) => attention && collectionUnexplained,
    }),
    // Of transactions: a node that tells of a transfer and takes it back would have these sent without end.
    noteAnnounced: assign({ announced: ({ context, event }) => [...context.announced, announcementOf(event)] }),
    // The customer must notice that it is gone, and send it again. What one node alone has told may never have been
    // there, and each further time could hold an old price open.
    lengthenWindow: assign(({ context: { expiresAt, quoteExpiresAt, windowLengthened }, event }) => {
      assertEvent(event, ['less_seen', 'reorganized'])
      if (windowLengthened || !event.hasLostAgreed) return {}
      const soonest = new Date(event.at.getTime() + 10 * MINUTE_MS)
      const later = (end: Date) => (end < soonest ? soonest : end)
      // The customer has paid in time once, and keeps the price.
      const ends = { expiresAt: later(expiresAt), quoteExpiresAt: quoteExpiresAt && later(quoteExpiresAt) }
      const isLonger = ends.expiresAt !== expiresAt || ends.quoteExpiresAt !== quoteExpiresAt
      return { ...ends, windowLengthened: isLonger }
    }),
    endWindow: assign({ expiresAt: ({ event }) => event.at }),
    // Nobody can pick again while money lies there: its merchant need not wait to decide on it.
    endWindowWithPrice: assign({ expiresAt: ({ context }) => context.quoteExpiresAt ?? context.expiresAt }),
    failMismatched: assign(({ event }) => {
      assertEvent(event, 'submission_failed')
      return { failureReason: event.failureReason }
    }),
    failUnderpaid: assign({ failureReason: 'underpaid', attention: true }),
    accept: assign({ failureReason: null, attention: false }),
    // From here on the payment is one in what was accepted: that is shown, counted and given back.
    takeStray: assign(({ context, event }) => {
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
    // What was given back waits for nobody, but for what went astray.
    forgetGivenBack: assign({
      attention: ({ context }) => isStillWaiting(context, 0),
    }),
    forgetExcess: assign({ attention: ({ context }) => isStillWaiting(context, context.amountMinor) }),
    countRefund: assign({ amountRefundedMinor: ({ context, event }) => context.amountRefundedMinor + refundIn(event) }),
  },
  guards: {
    nothingSeen: ({ context }) => context.amountReceived === 0n,
    // Money of another asset counts: whoever picked that one now would find it told already, and passed over.
    nothingSeenInWindow: ({ context, event }) =>
      context.amountReceived === 0n && context.stray === null && event.at < context.expiresAt,
    enoughInTime: seen(isEnoughInTime),
    newEnoughInTime: seen((payment, now, event) => isEnoughInTime(payment, now) && isNews(payment, event)),
    moreInTimeButTooLittle: seen(isMoreInTime),
    newInTimeButTooLittle: seen((payment, now, event) => isMoreInTime(payment, now) && isNews(payment, event)),
    lessSeen: seen((payment, now) => now.amountReceived < payment.amountReceived),
    enoughNoMore: seen((payment, now) => !isEnough(payment, now.amountReceived)),
    stillTheSame: seen((payment, now) => now.amountReceived === payment.amountReceived),
    stillEnough: seen((payment, now) => isEnough(payment, now.amountReceived)),
    // What was final when the payment ended stays in the books: it may have been refunded.
    stillFinal: seen((payment, now) => now.amountReceived >= payment.amountFinal),
    moreFinal: finalized(() => true),
    moreFinalButTooLittle: finalized((payment, sum) => !isEnough(payment, sum)),
    // Where money that went astray was accepted for it, nothing more is due.
    moreFinalThanDue: finalized((payment, sum) => isTooMuch(payment, sum) || payment.finalStrays > 0),
    enoughFinal: finalized((payment, sum) => isEnough(payment, sum)),
    lateAndWelcome: finalized((payment, sum) => isWelcomeLate(payment, sum)),
    lateAndNotWelcome: finalized((payment, sum) => !isWelcomeLate(payment, sum)),
    strayMayGo: ({ context }) => context.stray !== null && context.finalStrays === 0,
    unexplainedIsNew: ({ context }) => !context.collectionUnexplained,
    collectionMayGo: ({ context }) => context.collectionUnexplained,
    moreFinalStrays: ({ context, event }) => event.type === 'stray_seen' && event.finalStrays > context.finalStrays,
    overAndNothingSeen: ({ context, event }) => isOver(context, event) && context.amountReceived === 0n,
    overAndAllFinal: ({ context, event }) => isOver(context, event) && context.amountFinal === context.amountReceived,
    // Strays alone are accepted only as the asset that they came in: see `onlyStraysFinal`.
    someFinalMoney: ({ context }) => context.amountFinal > 0n && (!isGivenBack(context) || context.finalStrays > 0),
    onlyStraysFinal: ({ context, event }) =>
      event.type === 'accept' &&
      event.paidWith !== undefined &&
      context.finalStrays > 0 &&
      context.amountFinal === 0n &&
      context.refundsReservedMinor === 0,
    needsAttention: ({ context }) => context.attention,
    outlivesPrice: ({ context }) => context.quoteExpiresAt !== null && context.quoteExpiresAt < context.expiresAt,
    testWindowOpen: ({ context, event }) => !context.livemode && event.at < context.expiresAt,
    refundFits: ({ context, event }) => isUpTo(context.receivedMinor - context.refundsReservedMinor, refundIn(event)),
    refundIsReserved: ({ context, event }) =>
      isUpTo(context.refundsReservedMinor - context.amountRefundedMinor, refundIn(event)),
  },
})

type Asked = { context: Payment; event: PaymentEvent }

/** Asks about sums that were read from the chain, if they are of the picked asset, not old, and not known already. */
function seen(ask: (payment: Payment, now: Seen, event: PaymentEvent) => boolean) {
  return ({ context: payment, event }: Asked): boolean =>
    'amountReceived' in event &&
    isOfPick(payment, event) &&
    (event.amountReceived !== payment.amountReceived ||
      event.txHash !== payment.txHash ||
      event.blockNumber !== payment.blockNumber) &&
    ask(payment, event, event)
}

function isEnoughInTime(payment: Payment, now: Seen): boolean {
  return isInTime(payment, now) && isEnough(payment, now.amountReceived)
}

function isMoreInTime(payment: Payment, now: Seen): boolean {
  return isInTime(payment, now) && now.amountReceived > payment.amountReceived && !isEnough(payment, now.amountReceived)
}

/** So many transactions of a payment are announced, of each kind: a node could make up new ones without end. */
const MOST_ANNOUNCED = 16

const announcedAs = ({ type }: PaymentEvent): string => (type === 'enough_seen' ? 'processing' : 'underpaid')

const announcementOf = (event: PaymentEvent): string =>
  `${announcedAs(event)} ${('txHash' in event && event.txHash) || 'without hash'}`

const isNews = ({ announced }: Payment, event: PaymentEvent): boolean => {
  const alike = announced.filter(each => each.startsWith(announcedAs(event)))
  return alike.length < MOST_ANNOUNCED && !alike.includes(announcementOf(event))
}

/** Asks about a sum that has been read again as canonical and final. It only grows, and never beyond what is seen. */
function finalized(ask: (payment: Payment, sum: bigint) => boolean) {
  return ({ context: payment, event }: Asked): boolean =>
    'amountFinal' in event &&
    isOfPick(payment, event) &&
    event.amountFinal > payment.amountFinal &&
    event.amountFinal <= payment.amountReceived &&
    ask(payment, event.amountFinal)
}

const isOfPick = (payment: Payment, read: Scan): boolean =>
  read.chainId === payment.chainId && read.asset === payment.asset && read.scan >= payment.scan

const isOver = (payment: Payment, event: PaymentEvent): boolean =>
  event.type === 'window_over' && event.scannedTo > payment.expiresAt

const refundIn = (event: PaymentEvent): number => ('amountMinor' in event ? event.amountMinor : 0)

const isUpTo = (most: number, amountMinor: number): boolean => amountMinor >= 1 && amountMinor <= most
