import type { Payment, Seen } from './payment-events.ts'

/** What sums of money mean for a payment: whether they count, whether they are enough, and what is left to give back. */

/**
 * Money counts up to the end of the window and, at a price that is not par, for as long as that holds: else a
 * customer could wait for days and pay when the price has moved their way. What comes later is late.
 */
export const isInTime = ({ expiresAt, quoteExpiresAt }: Payment, { minedAt }: Pick<Seen, 'minedAt'>): boolean =>
  minedAt !== null && minedAt <= expiresAt && (quoteExpiresAt === null || minedAt <= quoteExpiresAt)

export const isEnough = (payment: Payment, sum: bigint): boolean =>
  payment.amountExpected !== null && sum >= leastEnough(payment)

/** The smallest sum that is enough. */
export const leastEnough = ({ amountExpected, toleranceBps }: Payment): bigint =>
  ((amountExpected ?? 0n) * BigInt(10_000 - toleranceBps) + 9_999n) / 10_000n

// An excess below a minor unit could not be refunded, so nobody is bothered with it.
export const isTooMuch = (payment: Payment, sum: bigint): boolean => toMinor(payment, sum) > payment.amountMinor

// What the customer has been promised back pays for nothing.
export const isWelcomeLate = (payment: Payment, sum: bigint): boolean =>
  payment.latePolicy === 'accept_stablecoins' &&
  payment.pegged === true &&
  isEnough(payment, sum - toAtomic(payment, payment.refundsReservedMinor))

export const finalSum = (payment: Payment, amountFinal: bigint) => ({
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
export const isStillWaiting = (
  { attention, stray, receivedMinor, amountRefundedMinor }: Payment,
  dueMinor: number,
): boolean => attention && (stray !== null || receivedMinor - amountRefundedMinor > dueMinor)

/** All of it, or promised. */
export const isGivenBack = ({ receivedMinor, refundsReservedMinor }: Payment): boolean =>
  refundsReservedMinor > 0 && refundsReservedMinor >= receivedMinor
