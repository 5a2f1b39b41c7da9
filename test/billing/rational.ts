/** Fractions of bigints, for tests that compute a sum a second time: slow, exact, and without any rounding in between. */
export type Rational = { readonly over: bigint; readonly under: bigint }

export const ratio = (over: bigint, under = 1n): Rational =>
  under < 0n ? { over: -over, under: -under } : { over, under }

/** `-12.5` */
export const parseDecimal = (text: string): Rational => {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const value = BigInt(whole + fraction)
  return ratio(text.startsWith('-') ? -value : value, 10n ** BigInt(fraction.length))
}

export const add = (a: Rational, b: Rational): Rational => ratio(a.over * b.under + b.over * a.under, a.under * b.under)
export const negate = ({ over, under }: Rational): Rational => ratio(-over, under)
export const times = (a: Rational, b: Rational): Rational => ratio(a.over * b.over, a.under * b.under)
export const dividedBy = (a: Rational, b: Rational): Rational => ratio(a.over * b.under, a.under * b.over)
export const isLess = (a: Rational, b: Rational): boolean => a.over * b.under < b.over * a.under

/** The integer that is closest; of two, the one further from zero. */
export const closest = (value: Rational): bigint => {
  const near = value.over / value.under
  const candidates = [near - 1n, near, near + 1n]
  const distance = (of: bigint) => {
    const apart = add(value, ratio(-of))
    return apart.over < 0n ? negate(apart) : apart
  }
  const far = (of: bigint) => (of < 0n ? -of : of)
  return candidates.reduce((best, each) => {
    if (isLess(distance(each), distance(best))) return each
    return isLess(distance(best), distance(each)) || far(each) < far(best) ? best : each
  })
}

/** The largest integer that is not above the value. */
export const below = (value: Rational): bigint => {
  let whole = value.over / value.under
  while (isLess(value, ratio(whole))) whole -= 1n
  return whole
}
