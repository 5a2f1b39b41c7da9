import type { Payment, Seen } from './payment-events.ts'

/** Rules about sums of a payment: whether money counts, whether it is enough, and what can still be refunded. */

/**
 * Money counts until the end of the window and, unless the asset is counted at par, until the price expires. Otherwise
 * a customer could wait for days and pay when the price has moved in their favor. Money that arrives later is late.
 */
export const isInTime = ({ expiresAt, quoteExpiresAt }: Payment, { minedAt }: Pick<Seen, 'minedAt'>): boolean =>
  minedAt !== null && minedAt <= expiresAt && (quoteExpiresAt === null || minedAt <= quoteExpiresAt)

export const isEnough = (payment: Payment, sum: bigint): boolean =>
  payment.amountExpected !== null && sum >= minimumSum(payment)

/** The smallest sum that is enough. */
export const minimumSum = ({ amountExpected, toleranceBps }: Payment): bigint =>
  ((amountExpected ?? 0n) * BigInt(10_000 - toleranceBps) + 9_999n) / 10_000n

// An excess of less than one minor unit could not be refunded, so it is ignored.
export const isTooMuch = (payment: Payment, sum: bigint): boolean => toMinor(payment, sum) > payment.amountMinor

// Money that is reserved for refunds does not count as payment.
export const isAcceptedLate = (payment: Payment, sum: bigint): boolean =>
  payment.latePolicy === 'accept_stablecoins' &&
  payment.pegged === true &&
  isEnough(payment, sum - toAtomic(payment, payment.refundsReservedMinor))

export const finalSum = (payment: Payment, amountFinal: bigint) => ({
  amountFinal,
  receivedMinor: toMinor(payment, amountFinal),
})

/** A transfer to an address of a payment, or several in one block. `token`: null for native currency. */
export type Transferred = {
  readonly chainId: number
  readonly token: string | null
  readonly amount: bigint
  readonly final: boolean
  readonly minedAt: Date
}

/**
 * How much of a payment counts for its invoice. Success counts the whole amount, also if a little less was enough or a
 * person has accepted other money, and what was received in addition. Before, and if it never succeeds, only final money
 * counts that arrived in the picked asset, in the window and at its quote: late money would count at a price that is over.
 */
export const countedMinor = (state: string, payment: Payment, transfers: readonly Transferred[]): number => {
  if (state === 'success') return Math.max(payment.amountMinor, payment.receivedMinor)
  const counted = transfers.filter(
    each => each.final && isPicked(payment, each) && isInTime(payment, { minedAt: each.minedAt }),
  )
  return toMinor(
    payment,
    counted.reduce((sum, { amount }) => sum + amount, 0n),
  )
}

export const isPicked = (
  { chainId, tokenAddress }: Pick<Payment, 'chainId' | 'tokenAddress'>,
  transfer: Pick<Transferred, 'chainId' | 'token'>,
): boolean => transfer.chainId === chainId && transfer.token === tokenAddress

// Anyone can mint test dollars, also more of them than a number can represent.
const toMinor = ({ amountExpected, amountMinor }: Payment, sum: bigint): number => {
  const minor = amountExpected === null ? 0n : (sum * BigInt(amountMinor)) / amountExpected
  return Number(minor < Number.MAX_SAFE_INTEGER ? minor : Number.MAX_SAFE_INTEGER)
}

const toAtomic = ({ amountExpected, amountMinor }: Payment, minor: number): bigint => {
  const scaled = BigInt(minor) * (amountExpected ?? 0n)
  return (scaled + BigInt(amountMinor) - 1n) / BigInt(amountMinor)
}

/** Whether attention stays: for stray money, or while more than `dueMinor` is not refunded. */
export const stillNeedsAttention = (
  { attention, stray, receivedMinor, amountRefundedMinor }: Payment,
  dueMinor: number,
): boolean => attention && (stray !== null || receivedMinor - amountRefundedMinor > dueMinor)

/**
 * The customer was erased after the payment had ended. The commit that erases a customer sets this e-mail address, which no
 * customer can enter: see src/email-key.ts.
 */
export const isOfErasedCustomer = ({ customerEmail }: Pick<Payment, 'customerEmail'>): boolean =>
  customerEmail.endsWith('@erased.invalid')

/** All received money is refunded or reserved for refunds. */
export const isFullyRefunded = ({ receivedMinor, refundsReservedMinor }: Payment): boolean =>
  refundsReservedMinor > 0 && refundsReservedMinor >= receivedMinor
