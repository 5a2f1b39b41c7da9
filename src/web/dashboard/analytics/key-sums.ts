import type { Analytics } from '../../api/calls.ts'

/** What an asset, a network or a link has brought in a period, in one currency. */
export type KeySums = {
  readonly key: string | null
  readonly volumeMinor: number
  readonly opened: number
  readonly succeeded: number
}

/** The sums of all buckets, the most money first. What the API has put together as `other` is last. */
export const keySumsOf = ({ buckets }: Pick<Analytics, 'buckets'>, currency: string): readonly KeySums[] => {
  const sums = new Map<string | null, KeySums>()
  for (const row of buckets.flatMap(({ rows }) => rows)) {
    if (row.currency !== currency) continue
    const { key, volumeMinor, opened, succeeded } = row
    const { volumeMinor: volume = 0, opened: open = 0, succeeded: paid = 0 } = sums.get(key) ?? {}
    sums.set(key, { key, volumeMinor: volume + volumeMinor, opened: open + opened, succeeded: paid + succeeded })
  }
  const isRest = ({ key }: KeySums) => Number(key === 'other')
  return [...sums.values()].sort(
    (a, b) => isRest(a) - isRest(b) || b.volumeMinor - a.volumeMinor || b.opened - a.opened,
  )
}
