import { assertEvent, assign, setup } from 'xstate'
import type { Payment, PaymentEvent, PaymentOpening, Scan, Seen } from './payment-events.ts'

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
    forgetStray: assign({ stray: null, attention: false }),
    // The customer must notice that it is gone, and send it again.
    lengthenWindow: assign(({ context: { expiresAt, quoteExpiresAt }, event }) => {
      const later = (end: Date) => new Date(Math.max(end.getTime(), event.at.getTime() + 10 * MINUTE_MS))
      // Whoever has paid in time once has the price for it.
      return { expiresAt: later(expiresAt), quoteExpiresAt: quoteExpiresAt && later(quoteExpiresAt) }
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
    enoughInTime: seen((payment, now) => isInTime(payment, now) && isEnough(payment, now.amountReceived)),
    moreInTimeButTooLittle: seen(
      (payment, now) =>
        isInTime(payment, now) && now.amountReceived > payment.amountReceived && !isEnough(payment, now.amountReceived),
    ),
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
    moreFinalStrays: ({ context, event }) => event.type === 'stray_seen' && event.finalStrays > context.finalStrays,
    overAndNothingSeen: ({ context, event }) => isOver(context, event) && context.amountReceived === 0n,
    overAndAllFinal: ({ context, event }) => isOver(context, event) && context.amountFinal === context.amountReceived,
    someFinalMoney: ({ context }) => (context.amountFinal > 0n && !isGivenBack(context)) || context.finalStrays > 0,
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
function seen(ask: (payment: Payment, now: Seen) => boolean) {
  return ({ context: payment, event }: Asked): boolean =>
    'amountReceived' in event &&
    isOfPick(payment, event) &&
    (event.amountReceived !== payment.amountReceived ||
      event.txHash !== payment.txHash ||
      event.blockNumber !== payment.blockNumber) &&
    ask(payment, event)
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

/**
 * Money counts up to the end of the window and, at a price that is not par, for as long as that holds: else a
 * customer could wait for days and pay when the price has moved their way. What comes later is late.
 */
export const isInTime = ({ expiresAt, quoteExpiresAt }: Payment, { minedAt }: Pick<Seen, 'minedAt'>): boolean =>
  minedAt !== null && minedAt <= expiresAt && (quoteExpiresAt === null || minedAt <= quoteExpiresAt)

const isOver = (payment: Payment, event: PaymentEvent): boolean =>
  event.type === 'window_over' && event.scannedTo > payment.expiresAt

export const isEnough = ({ amountExpected, toleranceBps }: Payment, sum: bigint): boolean =>
  amountExpected !== null && sum * 10_000n >= amountExpected * BigInt(10_000 - toleranceBps)

// An excess below a minor unit could not be refunded, so nobody is bothered with it.
const isTooMuch = (payment: Payment, sum: bigint): boolean => toMinor(payment, sum) > payment.amountMinor

// What the customer has been promised back pays for nothing.
const isWelcomeLate = (payment: Payment, sum: bigint): boolean =>
  payment.latePolicy === 'accept_stablecoins' &&
  payment.pegged === true &&
  isEnough(payment, sum - toAtomic(payment, payment.refundsReservedMinor))

const finalSum = (payment: Payment, amountFinal: bigint) => ({
  amountFinal,
  receivedMinor: toMinor(payment, amountFinal),
})

// Anybody can mint a test dollar, and more of them than a number holds.
const toMinor = ({ amountExpected, amountMinor }: Payment, sum: bigint): number => {
  const minor = amountExpected === null ? 0n : (sum * BigInt(amountMinor)) / amountExpected
  return Number(minor < Number.MAX_SAFE_INTEGER ? minor : Number.MAX_SAFE_INTEGER)
}

const toAtomic = ({ amountExpected, amountMinor }: Payment, minor: number): bigint => {
  const scaled = BigInt(minor) * (amountExpected ?? 0n)
  return (scaled + BigInt(amountMinor) - 1n) / BigInt(amountMinor)
}

/** For a person, with more than so much not given back. */
const isStillWaiting = ({ attention, stray, receivedMinor, amountRefundedMinor }: Payment, dueMinor: number): boolean =>
  attention && (stray !== null || receivedMinor - amountRefundedMinor > dueMinor)

/** All of it, or promised. */
const isGivenBack = ({ receivedMinor, refundsReservedMinor }: Payment): boolean =>
  refundsReservedMinor > 0 && refundsReservedMinor >= receivedMinor

const refundIn = (event: PaymentEvent): number => ('amountMinor' in event ? event.amountMinor : 0)

const isUpTo = (most: number, amountMinor: number): boolean => amountMinor >= 1 && amountMinor <= most
