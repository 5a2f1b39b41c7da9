import { encodeId } from '../ids.ts'
import { addedSums, type Sums } from './figures.ts'

export type Breakdown = 'none' | 'asset' | 'chain' | 'link'

/** The sums of a bucket for a currency and a key. `key`: null if no asset was picked, or without a breakdown. */
export type KeyedSums = Sums & { readonly bucket: number; readonly currency: string; readonly key: string | null }

const MOST_KEYS = 50

/** The sums of each group, with the currency and key of its first ones. */
export const sumsByGroup = (sums: readonly KeyedSums[], groupOf: (sums: KeyedSums) => string): readonly KeyedSums[] =>
  [...Map.groupBy(sums, groupOf).values()].flatMap(group =>
    group.slice(0, 1).map(first => ({ ...first, ...addedSums(group) })),
  )

/** The key of a row in the answer: the 50 keys with the highest volume, and `other`. */
export const keysShown = (sums: readonly KeyedSums[], breakdown: Breakdown): ((sums: KeyedSums) => string | null) => {
  const keys = sumsByGroup(sums, ({ key }) => String(key)).toSorted((a, b) => bySize(a, b))
  const shown = new Set(keys.slice(0, MOST_KEYS).map(({ key }) => key))
  return ({ key }) => {
    if (!shown.has(key)) return 'other'
    return breakdown === 'link' && key !== null && key !== 'single_use' ? encodeId('plink', key) : key
  }
}

const bySize = (a: Sums, b: Sums): number =>
  a.volumeMinor === b.volumeMinor ? b.opened - a.opened : a.volumeMinor < b.volumeMinor ? 1 : -1
