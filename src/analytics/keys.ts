import { encodeId } from '../ids.ts'
import { addedSums, type Sums } from './figures.ts'

export type Breakdown = 'none' | 'asset' | 'chain' | 'link'

/** The sums of a bucket for a currency and a key. `key`: null if no asset was picked, or without a breakdown. */
export type KeyedSums = Sums & {
  readonly bucket: number
  readonly currency: string
  readonly key: string | null
  /** Whether it is for all keys with less volume than those that have sums of their own. */
  readonly isOther: boolean
}

/** The sums of each currency. */
export const sumsByCurrency = (sums: readonly KeyedSums[]): readonly KeyedSums[] =>
  [...Map.groupBy(sums, ({ currency }) => currency).values()].flatMap(group =>
    group.slice(0, 1).map(first => ({ ...first, ...addedSums(group) })),
  )

/** The key of a row in the answer. */
export const keyShown = ({ key, isOther }: KeyedSums, breakdown: Breakdown): string | null =>
  breakdown === 'link' && key !== null && key !== 'single_use' && !isOther ? encodeId('plink', key) : key
