import type { Price } from './amount.ts'
import type { PriceVerdict } from './price-checks.ts'

/**
 * Rejects a price that differs too much from the last accepted one of the same aggregator, in this process. Such a jump
 * is more often an error than the market, and a quote from it could sell for nothing. A price that stays for ten
 * minutes is accepted. After a start, or an hour without a price, there is nothing to compare with, and the agreement
 * of two nodes must be enough.
 */
export type JumpCheck = { check(price: Price, nowMs: number): PriceVerdict }

export const openJumpCheck = (maxJumpPercent: bigint): JumpCheck => {
  let last: PriceAtTime | undefined
  let suspect: PriceAtTime | undefined
  return {
    check: (price, nowMs) => {
      const isPlausible =
        last === undefined || nowMs - last.ms > FORGET_AFTER_MS || isNear(price, last.price, maxJumpPercent)
      if (!isPlausible) {
        // When the clock is set back, the wait starts again instead of becoming longer.
        if (suspect === undefined || nowMs < suspect.ms || !isNear(price, suspect.price, maxJumpPercent))
          suspect = { price, ms: nowMs }
        if (nowMs - suspect.ms < ACCEPT_AFTER_MS) return { rejected: 'jumped' }
      }
      last = { price, ms: nowMs }
      suspect = undefined
      return { accepted: price }
    },
  }
}

type PriceAtTime = { readonly price: Price; readonly ms: number }

/** Compares |a - b| with the smaller price, so that half and double are equally far. */
const isNear = (a: Price, b: Price, percent: bigint): boolean => {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator]
  const [less, more] = left < right ? [left, right] : [right, left]
  return (more - less) * 100n <= less * percent
}

const ACCEPT_AFTER_MS = 10 * 60_000
const FORGET_AFTER_MS = 60 * 60_000
