/** Collects the results of benches. The lines of promises are printed together at the end. */
export type Report = {
  /** A figure that must not be lower than its bound. */
  atLeast(promise: string, measured: number, bound: number, formatting: Formatting): void
  /** A figure that must not be higher than its bound. */
  atMost(promise: string, measured: number, bound: number, formatting: Formatting): void
  /** Several figures that must hold at the same time. */
  judge(promise: string, kept: boolean, measured: string, bound: string): void
  /** A promise that could not be measured, and why; it is neither kept nor missed. */
  skip(promise: string, why: string): void
  readonly lines: readonly string[]
  readonly missed: number
}

/** How a figure is formatted, and what it was compared with. */
export type Formatting = { readonly as: (figure: number) => string; readonly from?: string }

export const openReport = (): Report => {
  const lines: string[] = []
  let missed = 0
  const judge = (promise: string, kept: boolean, measured: string, bound: string) => {
    if (!kept) missed++
    lines.push(`${kept ? 'kept' : 'missed'} ${promise}: ${measured} (bound ${bound})`)
  }
  const withSource = (measured: number, { as, from }: Formatting) => as(measured) + (from ? `, ${from}` : '')
  return {
    judge,
    // In this form a comparison with NaN is missed.
    atLeast: (promise, measured, bound, formatting) =>
      judge(promise, measured >= bound, withSource(measured, formatting), `≥ ${formatting.as(bound)}`),
    atMost: (promise, measured, bound, formatting) =>
      judge(promise, measured <= bound, withSource(measured, formatting), `≤ ${formatting.as(bound)}`),
    skip: (promise, why) => lines.push(`skipped ${promise}: ${why}`),
    lines,
    get missed() {
      return missed
    },
  }
}

/**
 * The round with the best figure. Disturbances of a shared machine only make a program slower, so the best
 * of a few rounds describes it best.
 */
export const bestOf = <R>(rounds: readonly R[], figure: (round: R) => number, better: 'higher' | 'lower'): R => {
  const [first, ...rest] = rounds
  if (first === undefined) throw new Error('Cannot choose the best of no rounds')
  return rest.reduce((best, round) => {
    const ahead = better === 'higher' ? figure(round) > figure(best) : figure(round) < figure(best)
    return ahead ? round : best
  }, first)
}

/** The figure that this share of the figures does not exceed; NaN without figures. */
export const percentile = (figures: readonly number[], share: number): number => {
  const sorted = Float64Array.from(figures).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (figures: readonly number[]): number => percentile(figures, 0.5)

export const perSecond = (figure: number): string => `${thousands(figure)}/s`
export const milliseconds = (figure: number): string => `${figure.toFixed(figure < 10 ? 2 : 1)} ms`
export const microseconds = (figure: number): string => `${figure.toFixed(1)} µs`
export const times = (figure: number): string => `${figure.toFixed(2)} ×`
export const thousands = (figure: number): string => Math.round(figure).toLocaleString('en-US')
