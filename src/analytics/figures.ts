/** Figures of payments: sums by the row of the database, and what is calculated from them. */

/** How many payments took so long, by duration_class() of the database. */
export type Durations = Readonly<Record<string, number>>

export type Sums = {
  readonly opened: number
  readonly converted: number
  readonly picked: number
  readonly seen: number
  readonly succeeded: number
  readonly failed: number
  readonly expired: number
  readonly canceled: number
  readonly late: number
  readonly volumeMinor: bigint
  readonly refunds: number
  readonly refundedMinor: bigint
  readonly payTimes: readonly Durations[]
  readonly finalTimes: readonly Durations[]
}

export type Figures = {
  readonly opened: number
  readonly picked: number
  readonly seen: number
  readonly succeeded: number
  readonly failed: number
  readonly expired: number
  readonly canceled: number
  readonly late: number
  readonly volumeMinor: number
  readonly refundsCount: number
  readonly refundedMinor: number
  readonly netMinor: number
  readonly conversionBps: number | null
  readonly successRateBps: number | null
  readonly payMs: Percentiles | null
  readonly finalMs: Percentiles | null
}

export type Percentiles = { readonly p50: number; readonly p95: number }

export const addedSums = (all: readonly Sums[]): Sums => {
  const total = (name: Count): number => all.reduce((sum, each) => sum + each[name], 0)
  const minor = (name: 'volumeMinor' | 'refundedMinor'): bigint => all.reduce((sum, each) => sum + each[name], 0n)
  return {
    ...{ opened: total('opened'), converted: total('converted'), picked: total('picked'), seen: total('seen') },
    ...{ succeeded: total('succeeded'), failed: total('failed'), expired: total('expired') },
    ...{ canceled: total('canceled'), late: total('late'), refunds: total('refunds') },
    ...{ volumeMinor: minor('volumeMinor'), refundedMinor: minor('refundedMinor') },
    payTimes: all.flatMap(({ payTimes }) => payTimes),
    finalTimes: all.flatMap(({ finalTimes }) => finalTimes),
  }
}

type Count = Exclude<keyof Sums, 'volumeMinor' | 'refundedMinor' | 'payTimes' | 'finalTimes'>

export const figuresOf = (sums: Sums): Figures => {
  const { opened, picked, seen, succeeded, failed, expired, canceled, late, volumeMinor, refunds, refundedMinor } = sums
  return {
    ...{ opened, picked, seen, succeeded, failed, expired, canceled, late },
    volumeMinor: safeMinor(volumeMinor),
    refundsCount: refunds,
    refundedMinor: safeMinor(refundedMinor),
    netMinor: safeMinor(volumeMinor - refundedMinor),
    conversionBps: basisPoints(sums.converted, opened),
    successRateBps: basisPoints(succeeded, succeeded + failed + expired),
    payMs: percentilesOf(sums.payTimes),
    finalMs: percentilesOf(sums.finalTimes),
  }
}

/** A sum that a JSON number cannot hold is the largest or smallest that it can. */
export const safeMinor = (sum: bigint): number =>
  sum > MOST ? Number.MAX_SAFE_INTEGER : sum < -MOST ? -Number.MAX_SAFE_INTEGER : Number(sum)

const MOST = BigInt(Number.MAX_SAFE_INTEGER)

/** Half away from zero. Null without a whole. */
const basisPoints = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.floor((part * 20_000 + whole) / (whole * 2))

const percentilesOf = (groups: readonly Durations[]): Percentiles | null => {
  const counts = new Map<number, number>()
  let payments = 0
  for (const times of groups)
    for (const name in times) {
      const [duration, count] = [Number(name), times[name] ?? 0]
      counts.set(duration, (counts.get(duration) ?? 0) + count)
      payments += count
    }
  if (payments === 0) return null
  const durations = [...counts].sort(([a], [b]) => a - b)
  const at = (share: number): number => {
    let rest = Math.ceil(payments * share)
    for (const [duration, count] of durations) {
      rest -= count
      if (rest <= 0) return millisecondsOf(duration)
    }
    return 0
  }
  return { p50: at(0.5), p95: at(0.95) }
}

/** The middle of a class of duration_class(). */
const millisecondsOf = (duration: number): number => Math.round(1.1 ** duration - 1)
