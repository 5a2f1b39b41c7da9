import { minorDigits } from './minor-digits.ts'

/** An exact price as a fraction: so many units of a currency for one whole unit of an asset. */
export type Price = { readonly numerator: bigint; readonly denominator: bigint }

export const atPar: Price = { numerator: 1n, denominator: 1n }

export type Money = { readonly amountMinor: number; readonly currency: string }

/**
 * The amount in atomic units, rounded up: the merchant never receives less than the price, and the customer never pays
 * a whole unit too much. Undefined where the result is not a sensible payment.
 */
export const quotedAmount = ({ amountMinor, currency }: Money, price: Price, decimals: number): bigint | undefined => {
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1)
    throw new RangeError(
      `Cannot quote as 'amountMinor' must be a positive safe integer: current value is ${amountMinor}`,
    )
  const numerator = BigInt(amountMinor) * tenTo(decimals) * price.denominator
  const denominator = tenTo(minorDigits(currency)) * price.numerator
  const amount = (numerator + denominator - 1n) / denominator
  // With few decimals, rounding up could charge a dollar for a cent: more than one percent in excess is refused.
  const excess = amount * denominator - numerator
  return excess * 100n > numerator || amount > MAX_WHOLE_UNITS * tenTo(decimals) ? undefined : amount
}

/** No accepted asset has so many units: a price that leads to such an amount is wrong. */
const MAX_WHOLE_UNITS = 10n ** 12n

/** The price as a decimal text for display. Amounts are never computed from it. */
export const rateOf = ({ numerator, denominator }: Price): string => {
  // Enough decimal places for eight significant digits, however low the price is.
  const places = Math.max(8, 8 + denominator.toString().length - numerator.toString().length)
  const scaled = (numerator * tenTo(places)) / denominator
  const digits = scaled.toString().padStart(places + 1, '0')
  const [whole, fraction] = [digits.slice(0, -places), digits.slice(-places).replace(/0+$/, '')]
  return fraction ? `${whole}.${fraction}` : whole
}

export const tenTo = (digits: number): bigint => 10n ** BigInt(digits)
