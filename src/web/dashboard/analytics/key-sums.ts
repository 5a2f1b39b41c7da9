import type { Analytics, AnalyticsRow } from '../../api/calls.ts'

/** What an asset, a network or a link has brought in a period, in one currency. */
export type KeySums = Pick<AnalyticsRow, 'key' | 'volumeMinor' | 'opened' | 'succeeded' | 'payMs' | 'finalMs'>

/** The sums of the one bucket, the most money first. What the API has put together as `other` is last. */
export const keySumsOf = ({ buckets }: Pick<Analytics, 'buckets'>, currency: string): readonly KeySums[] => {
  const isRest = ({ key }: KeySums) => Number(key === 'other')
  return buckets
    .flatMap(({ rows }) => rows)
    .filter(row => row.currency === currency)
    .sort((a, b) => isRest(a) - isRest(b) || b.volumeMinor - a.volumeMinor || b.opened - a.opened)
}
