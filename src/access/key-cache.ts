import type { Dependencies } from '../dependencies.ts'
import { findKeyAccess } from '../queries/key-access.ts'
import type { Scope } from '../resources.ts'
import { hashAsText, isApiKey } from './api-key.ts'
import { openLastUses } from './last-use.ts'
import { openTtlCache } from './ttl-cache.ts'

export type KeyCaller = {
  readonly id: string
  readonly merchantId: string
  readonly livemode: boolean
  readonly scopes: readonly (Scope | '*')[]
  readonly apiVersion: string
}

/** Finds the caller for an API key. Results are cached for at most a second. */
export type KeyCache = {
  /** Returns undefined for a key that is malformed, unknown, revoked or expired. */
  find(secret: string): KeyCaller | undefined | Promise<KeyCaller | undefined>
  /** To be called after a key was changed by this process. */
  forget(): void
  /** Writes the last-use times. */
  stop(): Promise<void>
}

export const openKeyCache = ({ sql, log }: Pick<Dependencies, 'sql' | 'log'>): KeyCache => {
  const cache = openTtlCache<CachedKey>()
  const uses = openLastUses({ sql, log })

  const read = async (secret: string, hash: string): Promise<CachedKey | undefined> => {
    if (!isApiKey(secret)) return undefined
    const sentAt = performance.now()
    const access = await findKeyAccess(sql, Buffer.from(hash, 'latin1'))
    if (!access) return undefined
    const { id, merchant_id: merchantId, livemode, scopes, api_version: apiVersion, ms_left } = access
    // Counted from before the query, so that the key expires a round trip early rather than late.
    return {
      caller: { id, merchantId, livemode, scopes, apiVersion },
      endsAt: sentAt + (ms_left ?? Number.POSITIVE_INFINITY),
    }
  }

  const admit = (cached: CachedKey | undefined): KeyCaller | undefined => {
    if (!cached || performance.now() >= cached.endsAt) return undefined
    uses.record(cached.caller.id)
    return cached.caller
  }

  return {
    find: secret => {
      // Cached by its hash, so that no secret stays in memory.
      const hash = hashAsText(secret)
      const cached = cache.get(hash, () => read(secret, hash))
      return cached instanceof Promise ? cached.then(admit) : admit(cached)
    },
    // Clears all entries: changes are rare, and a missing entry costs one query.
    forget: () => cache.clear(),
    stop: () => uses.stop(),
  }
}

/** `endsAt` is in the time of performance.now(). */
type CachedKey = { readonly caller: KeyCaller; readonly endsAt: number }
