import { unitsOf } from '../money.ts'

/** A space that does not break: a number is never separated from its unit. */
export const NBSP = '\u00a0'

export type CryptoAmount = {
  readonly units: bigint
  /** The decimal number, with a point in every language: it is what is copied into a wallet. */
  readonly number: string
  /** With the asset. */
  readonly text: string
}

export type Denomination = { readonly asset: string; readonly decimals: number; readonly isNative: boolean }

/** Digits after the point that are shown of an amount in a native currency. */
const SHOWN_DIGITS = 6

/** An amount with all of its digits. */
export const exactAmount = (units: bigint, { asset, decimals, isNative }: Denomination): CryptoAmount =>
  amountOf(units, decimals, asset, isNative ? 0 : 2)

/** An amount that has arrived, rounded down to six digits after the point. Less than that is shown with all digits. */
export const arrivedAmount = (units: bigint, { asset, decimals, isNative }: Denomination): CryptoAmount => {
  const step = 10n ** BigInt(Math.max(0, decimals - SHOWN_DIGITS))
  const shown = units < step ? units : units - (units % step)
  return amountOf(shown, decimals, asset, isNative ? 0 : 2)
}

/**
 * An amount that is due, rounded up to six digits after the point, so that a person can type it; with more digits if
 * that would count as overpaid. The same value is shown, copied, encoded in the QR code and sent by wallets.
 */
export const dueAmount = (
  units: bigint,
  { asset, decimals, isNative }: Denomination,
  isAcceptable: (units: bigint) => boolean,
): CryptoAmount => {
  for (let digits = Math.min(SHOWN_DIGITS, decimals); ; digits++) {
    const step = 10n ** BigInt(decimals - digits)
    const rounded = ((units + step - 1n) / step) * step
    if (digits >= decimals || isAcceptable(rounded)) return amountOf(rounded, decimals, asset, isNative ? 0 : 2)
  }
}

const amountOf = (units: bigint, decimals: number, asset: string, leastDigits: number): CryptoAmount => {
  const number = unitsOf(units, decimals, leastDigits)
  return { units, number, text: `${number}${NBSP}${asset}` }
}
