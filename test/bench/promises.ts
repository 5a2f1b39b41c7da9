/** Collects what a bench found out. Promise lines are kept for the end, so that they stand together. */
export type Report = {
  /** A figure that must not be lower than its bound. */
  atLeast(promise: string, measured: number, bound: number, told: Told): void
  /** A figure that must not be higher than its bound. */
  atMost(promise: string, measured: number, bound: number, told: Told): void
  /** Several figures that must be right at once. */
  judge(promise: string, kept: boolean, measured: string, bound: string): void
  /** What could not be measured here, and why; it is neither kept nor missed. */
  skip(promise: string, why: string): void
  readonly lines: readonly string[]
  readonly missed: number
}

/** How a figure is written, and where it comes from. */
export type Told = { readonly as: (figure: number) => string; readonly from?: string }

export const openReport = (): Report => {
  const lines: string[] = []
  let missed = 0
  const judge = (promise: string, kept: boolean, measured: string, bound: string) => {
    if (!kept) missed++
    lines.push(`${kept ? 'kept' : 'missed'} ${promise}: ${measured} (bound ${bound})`)
  }
  const withSource = (measured: number, { as, from }: Told) => as(measured) + (from ? `, ${from}` : '')
  return {
    judge,
    // Compared this way round, a figure that is no number is missed.
    atLeast: (promise, measured, bound, told) =>
      judge(promise, measured >= bound, withSource(measured, told), `≥ ${told.as(bound)}`),
    atMost: (promise, measured, bound, told) =>
      judge(promise, measured <= bound, withSource(measured, told), `≤ ${told.as(bound)}`),
    skip: (promise, why) => lines.push(`skipped ${promise}: ${why}`),
    lines,
    get missed() {
      return missed
    },
  }
}

/**
 * The round whose figure is the best. Noise on a shared machine only ever makes slower, so the best
 * of a few rounds says most about the program.
 */
export const bestOf = <R>(rounds: readonly R[], figure: (round: R) => number, better: 'higher' | 'lower'): R => {
  const [first, ...rest] = rounds
  if (first === undefined) throw new Error('cannot choose the best of no rounds')
  return rest.reduce((best, round) => {
    const ahead = better === 'higher' ? figure(round) > figure(best) : figure(round) < figure(best)
    return ahead ? round : best
  }, first)
}

/** The figure that this share of all is not above; not a number when there is none. */
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
