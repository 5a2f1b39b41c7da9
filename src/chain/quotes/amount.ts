import { minorDigits } from './minor-digits.ts'

/** A price as it is, without rounding: so many of a currency for one whole unit of an asset. */
export type Price = { readonly numerator: bigint; readonly denominator: bigint }

export const atPar: Price = { numerator: 1n, denominator: 1n }

export type Money = { readonly amountMinor: number; readonly currency: string }

/**
 * How many atomic units pay the money, rounded up: the merchant never gets less than was asked, and the
 * customer never gives a whole unit too much. Undefined where no sensible payment comes out.
 */
export const quotedAmount = ({ amountMinor, currency }: Money, price: Price, decimals: number): bigint | undefined => {
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1) throw new RangeError('an amount is a safe integer from 1')
  const above = BigInt(amountMinor) * tenTo(decimals) * price.denominator
  const below = tenTo(minorDigits(currency)) * price.numerator
  const amount = (above + below - 1n) / below
  // An asset of few decimals would take a dollar for a cent.
  const excess = amount * below - above
  return excess * 100n > above || amount > mostWhole * tenTo(decimals) ? undefined : amount
}

/** No coin that anybody takes exists so often: a price that leads there is none. */
const mostWhole = 10n ** 12n

/** For people to read; amounts are never computed from it. */
export const rateOf = ({ numerator, denominator }: Price): string => {
  // Enough places for eight digits that count, however little a unit is worth.
  const places = Math.max(8, 8 + denominator.toString().length - numerator.toString().length)
  const scaled = (numerator * tenTo(places)) / denominator
  const digits = scaled.toString().padStart(places + 1, '0')
  const [whole, fraction] = [digits.slice(0, -places), digits.slice(-places).replace(/0+$/, '')]
  return fraction ? `${whole}.${fraction}` : whole
}

export const tenTo = (digits: number): bigint => 10n ** BigInt(digits)
