/** Exact division of bigints. The divisor is positive in all of them. */

/** To the nearest integer, half away from zero. */
export const divideRounded = (value: bigint, by: bigint): bigint =>
  value < 0n ? -((-value * 2n + by) / (by * 2n)) : (value * 2n + by) / (by * 2n)

export const divideDown = (value: bigint, by: bigint): bigint =>
  value < 0n && value % by !== 0n ? value / by - 1n : value / by

export const divideUp = (value: bigint, by: bigint): bigint => -divideDown(-value, by)

/**
 * Parts that add up to `total`, each of them `value ÷ by` rounded down or up. Those with the largest remainder are rounded
 * up, the earlier one of equals first. `total` must be the rounded sum of the exact parts.
 */
export const spreadByLargestRemainder = (total: bigint, values: readonly bigint[], by: bigint): readonly bigint[] => {
  const parts = values.map(value => divideDown(value, by))
  const missing = Number(total - sumBigints(parts))
  const remainder = (at: number) => (values[at] ?? 0n) - (parts[at] ?? 0n) * by
  const largestFirst = values.map((_, at) => at).sort((a, b) => Number(remainder(b) - remainder(a)))
  for (const at of largestFirst.slice(0, missing)) parts[at] = (parts[at] ?? 0n) + 1n
  return parts
}

export const sumBigints = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n)
