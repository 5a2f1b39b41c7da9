/** `€49.00`, or `49,00 €` in German. Formats a decimal string: a float would round the largest amounts. */
export const moneyOf = (amountMinor: number, currency: string, locale = 'en'): string => {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  const text = String(amountMinor).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  return format.format(`${whole}.${text.slice(text.length - digits)}` as Intl.StringNumericLiteral)
}

/** Atomic units as a decimal number: `16.2`, or `16.20` with at least two digits. */
export const unitsOf = (amount: bigint, decimals: number, leastDigits = 0): string => {
  const text = String(amount).padStart(decimals + 1, '0')
  const [whole, all] = [text.slice(0, text.length - decimals), text.slice(text.length - decimals)]
  const digits = all.replace(/0+$/, '')
  const rest = all.slice(0, Math.max(digits.length, leastDigits))
  return rest === '' ? whole : `${whole}.${rest}`
}
