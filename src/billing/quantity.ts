import { divideRounded } from './rounding.ts'

/** A quantity is a decimal string greater than 0 with at most 6 decimal places; in computations it is a count of millionths. */
export const isQuantity = (text: string): boolean => pattern.test(text) && /[1-9]/.test(text)

const pattern = /^(?:0|[1-9]\d{0,15})(?:\.\d{1,6})?$/

const MILLION = 1_000_000n

export const millionthsOf = (quantity: string): bigint => {
  const [whole = '', fraction = ''] = quantity.split('.')
  return BigInt(whole) * MILLION + BigInt(fraction.padEnd(6, '0'))
}

/** `1500000n` is `1.5`. */
export const quantityOf = (millionths: bigint): string => {
  const fraction = String(millionths % MILLION)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${millionths / MILLION}${fraction && '.'}${fraction}`
}

/** Quantity × unit, half away from zero. */
export const amountOf = (millionths: bigint, unitAmountMinor: number): bigint =>
  divideRounded(millionths * BigInt(unitAmountMinor), MILLION)
