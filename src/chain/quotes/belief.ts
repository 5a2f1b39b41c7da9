import type { Price } from './amount.ts'
import type { PriceVerdict } from './judge.ts'

/**
 * What one aggregator was believed to say, by this process. An answer far from the last one is more often an accident
 * than the market, and a quote from it would sell for nothing; if it was the market, it is still there later. After a
 * start, or an hour without an answer, there is nothing to compare with: that nodes agree must do.
 */
export type Belief = { weigh(price: Price, nowMs: number): PriceVerdict }

export const openBelief = (mostJumpPercent: bigint): Belief => {
  let last: Sighting | undefined
  let suspect: Sighting | undefined
  return {
    weigh: (price, nowMs) => {
      const isFamiliar =
        last === undefined || nowMs - last.ms > forgottenMs || isNear(price, last.price, mostJumpPercent)
      if (!isFamiliar) {
        // A clock that is set back begins the wait anew, and does not make it longer.
        if (suspect === undefined || nowMs < suspect.ms || !isNear(price, suspect.price, mostJumpPercent))
          suspect = { price, ms: nowMs }
        if (nowMs - suspect.ms < standingMs) return { refused: 'jumped' }
      }
      last = { price, ms: nowMs }
      suspect = undefined
      return { believed: price }
    },
  }
}

type Sighting = { readonly price: Price; readonly ms: number }

/** |a - b| against the smaller of the two, so that halving and doubling are equally far. */
const isNear = (a: Price, b: Price, percent: bigint): boolean => {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator]
  const [less, more] = left < right ? [left, right] : [right, left]
  return (more - less) * 100n <= less * percent
}

const standingMs = 10 * 60_000
const forgottenMs = 60 * 60_000
