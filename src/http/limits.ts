import type { HeaderFields } from './route.ts'

/** Requests that may come at once, and how fast the room for more comes back. */
export type Limit = { readonly name: string; readonly burst: number; readonly perSecond: number }

/** What is left of a limit: `resetS` until one more may come when none is left, else until all may. */
export type Left = { readonly allowed: boolean; readonly remaining: number; readonly resetS: number }

export type Buckets = {
  /** Takes one, if there is one. */
  take(subject: string): Left
  /** The same without taking. */
  look(subject: string): Left
  /** Whether all who ever took some have it back: then there is nobody to look for. */
  areFull(): boolean
}

/** Milliseconds that only go forward. */
export type Now = () => number

const monotonic: Now = () => performance.now()

/** Token buckets, one for each subject, of this process alone. */
export const openBuckets = (
  { burst, perSecond }: Limit,
  now = monotonic,
  /** Subjects remembered; beyond that the one not seen for longest is forgotten. */
  most = 50_000,
): Buckets => {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>()
  const tokensOf = (subject: string, at: number): number => {
    const bucket = buckets.get(subject)
    return bucket ? Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond) : burst
  }
  const leftOf = (tokens: number, allowed: boolean): Left => ({
    allowed,
    remaining: Math.floor(tokens),
    resetS: Math.ceil((tokens < 1 ? 1 - tokens : burst - tokens) / perSecond),
  })
  return {
    take: subject => {
      const at = now()
      const tokens = tokensOf(subject, at)
      if (tokens < 1) return leftOf(tokens, false)
      // Set anew, so that the map is in the order of use.
      buckets.delete(subject)
      buckets.set(subject, { tokens: tokens - 1, at })
      if (buckets.size > most) for (const oldest of buckets.keys().take(1)) buckets.delete(oldest)
      return leftOf(tokens - 1, true)
    },
    look: subject => {
      const tokens = tokensOf(subject, now())
      return leftOf(tokens, tokens >= 1)
    },
    areFull: () => {
      // A bucket that is full again is as good as none. The first one was used longest ago.
      for (const subject of buckets.keys()) {
        if (tokensOf(subject, now()) < burst) return false
        buckets.delete(subject)
      }
      return true
    },
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers. */
export const limitFields = (limit: Limit, { remaining, resetS }: Left): HeaderFields => ({
  'ratelimit-policy': policyOf(limit),
  ratelimit: `"${limit.name}";r=${remaining};t=${resetS}`,
})

const policyOf = ({ name, burst, perSecond }: Limit): string => `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`
