export type BatchSizer = {
  /** The size to try next, at most `wanted`. */
  sizeFor(wanted: number): number
  refused(tried: number): void
  succeeded(tried: number): void
}

/**
 * Finds by trying how much the other side accepts at once: half of what was refused, and an eighth more after each
 * success, so that one bad moment has no lasting effect.
 */
export const openBatchSizer = (): BatchSizer => {
  let max = Number.POSITIVE_INFINITY
  return {
    sizeFor: wanted => Math.min(wanted, max),
    refused: tried => {
      max = Math.min(max, Math.max(1, Math.floor(tried / 2)))
    },
    succeeded: tried => {
      if (tried >= max) max += Math.ceil(max / 8)
    },
  }
}
