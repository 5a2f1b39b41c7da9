/** Figures of payments: sums by the row of the database, and what is calculated from them. */

/** How many payments took so long: arrays of time_count() of the database, as it sends them. */
export type Durations = Uint8Array

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
  readonly payTimes: Durations
  readonly finalTimes: Durations
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
    payTimes: Buffer.concat(all.map(({ payTimes }) => payTimes)),
    finalTimes: Buffer.concat(all.map(({ finalTimes }) => finalTimes)),
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

const percentilesOf = (durations: Durations): Percentiles | null => {
  if (durations.length === 0) return null
  const { counts, payments } = countsOf(durations)
  const at = (share: number): number => {
    let each = 0
    for (let rest = Math.ceil(payments * share); ; each++) {
      rest -= counts[each] ?? rest
      if (rest <= 0) return millisecondsOf(each)
    }
  }
  return { p50: at(0.5), p95: at(0.95) }
}

/** A class is in the upper bits of time_count(), a count in the others. */
const CLASSES = 2 ** 9
const COUNT_BITS = 22
/** Before the elements of an array, and of an element with its length. */
const HEADER = 20
const ELEMENT = 8

/** How many payments there are, and how many of each class. */
const countsOf = (durations: Durations) => {
  const counts = new Float64Array(CLASSES)
  let payments = 0
  const { length } = durations
  const read = (at: number): number =>
    ((durations[at] ?? 0) << 24) |
    ((durations[at + 1] ?? 0) << 16) |
    ((durations[at + 2] ?? 0) << 8) |
    (durations[at + 3] ?? 0)
  for (let at = 0; at < length; ) {
    const end = at + HEADER + read(at + 12) * ELEMENT
    for (at += HEADER; at < end; at += ELEMENT) {
      const time = read(at + 4)
      const count = time & (2 ** COUNT_BITS - 1)
      counts[time >> COUNT_BITS] = (counts[time >> COUNT_BITS] ?? 0) + count
      payments += count
    }
  }
  return { counts, payments }
}

/**
 * A class has two of duration_class(), from 1.1 ** (2 * each - 0.5) to 1.21 times as much. This is the time that is off by the
 * same part of both ends, 9.5 %.
 */
const millisecondsOf = (each: number): number => Math.round((1.1 ** (2 * each - 0.5) * 2 * 1.21) / 2.21 - 1)
