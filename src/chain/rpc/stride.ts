export type Stride = {
  /** As much of what is wanted as to try at once. */
  of(wanted: number): number
  refused(tried: number): void
  went(tried: number): void
}

/**
 * How much at once is taken on the other side, found by trying: half of what was refused, and an eighth more
 * whenever it went well, so that one bad moment does not slow down for ever.
 */
export const openStride = (): Stride => {
  let most = Number.POSITIVE_INFINITY
  return {
    of: wanted => Math.min(wanted, most),
    refused: tried => {
      most = Math.min(most, Math.max(1, Math.floor(tried / 2)))
    },
    went: tried => {
      if (tried >= most) most += Math.ceil(most / 8)
    },
  }
}
