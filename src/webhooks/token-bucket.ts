/** A token bucket: allows `perSecond` on average, and at most `burst` at once. */
export const openTokenBucket = ({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }) => {
  let tokens = burst
  let at = Number.NEGATIVE_INFINITY
  return {
    /** How many may be taken at this time, in milliseconds of a monotonic clock. */
    available: (now: number): number => {
      tokens = Math.min(burst, tokens + ((now - at) * perSecond) / 1_000)
      at = now
      return Math.floor(tokens)
    },
    take: (count: number): void => {
      tokens -= count
    },
  }
}
