import { parseAmount, plainAmount } from '../links/amount.ts'

/** Minor units of an amount as people type it, which may be 0 or less: `-5.00` is a discount. Undefined if it is none. */
export const signedAmountOf = (text: string): number | undefined => {
  const [, sign, amount = ''] = /^\s*([-−–]?)\s*(.*?)\s*$/.exec(text) ?? []
  if (/^0+([.,]0{1,2})?$/.test(amount)) return 0
  const minor = parseAmount(amount)
  return minor !== undefined && sign !== '' ? -minor : minor
}

/** As people type it: `-1234.50`. */
export const plainSigned = (minor: number): string => `${minor < 0 ? '-' : ''}${plainAmount(Math.abs(minor))}`
