/** Size of a burst, and the rate at which it is refilled. */
export type RateLimit = { readonly name: string; readonly burst: number; readonly perSecond: number }

/** The state of a limit. `resetS`: seconds until the next request is allowed if none is left, else until the bucket is full. */
export type Left = { readonly allowed: boolean; readonly remaining: number; readonly resetS: number }

export type Buckets = {
  /** Takes one token, if there is one. */
  take(subject: string): Left
  /** The same without taking. */
  look(subject: string): Left
  /** Whether all buckets are full. Then no subject has to be looked up. */
  areFull(): boolean
}

/** A monotonic clock in milliseconds. */
export type Now = () => number

const monotonic: Now = () => performance.now()

/** Token buckets of this process, one for each subject. */
export const openBuckets = (
  { burst, perSecond }: RateLimit,
  now = monotonic,
  /** Maximum number of subjects. Above that, the least recently used one is removed. */
  most = 50_000,
): Buckets => {
  // Least recently used first.
  const buckets = new Map<string, Bucket>()
  let latest: string | undefined

  const tokensAt = (at: number, bucket: Bucket | undefined): number =>
    bucket ? Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond) : burst

  const use = (subject: string, bucket: Bucket | undefined): Bucket => {
    // Usually the same subject asks again: then it does not have to be moved.
    if (bucket && subject === latest) return bucket
    const used = bucket ?? { tokens: 0, at: 0 }
    buckets.delete(subject)
    buckets.set(subject, used)
    latest = subject
    if (buckets.size > most) for (const oldest of buckets.keys().take(1)) buckets.delete(oldest)
    return used
  }

  const leftOf = (tokens: number, allowed: boolean): Left => ({
    allowed,
    remaining: Math.floor(tokens),
    resetS: Math.ceil((tokens < 1 ? 1 - tokens : burst - tokens) / perSecond),
  })

  return {
    take: subject => {
      const at = now()
      const known = buckets.get(subject)
      const tokens = tokensAt(at, known)
      if (tokens < 1) return leftOf(tokens, false)
      const bucket = use(subject, known)
      bucket.tokens = tokens - 1
      bucket.at = at
      return leftOf(tokens - 1, true)
    },
    look: subject => {
      const tokens = tokensAt(now(), buckets.get(subject))
      return leftOf(tokens, tokens >= 1)
    },
    areFull: () => {
      // A full bucket can be removed. The first one was used the longest ago.
      for (const [subject, bucket] of buckets) {
        if (tokensAt(now(), bucket) < burst) return false
        buckets.delete(subject)
      }
      return true
    },
  }
}

type Bucket = { tokens: number; at: number }

/** The fields of draft-ietf-httpapi-ratelimit-headers. */
export const policyField = ({ name, burst, perSecond }: RateLimit): string =>
  `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`
export const leftField = ({ name }: RateLimit, { remaining, resetS }: Left): string =>
  `"${name}";r=${remaining};t=${resetS}`
