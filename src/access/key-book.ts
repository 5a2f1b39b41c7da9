import type { KeyCaller } from '../http/route.ts'
import { findKeyAccess } from '../queries/key-access.ts'
import type { Outside } from '../world.ts'
import { hashApiKey, isApiKey } from './api-key.ts'
import { openLastUses } from './last-use.ts'
import { openRecent } from './recent.ts'

/** Who may call with which secret, remembered for at most a second. */
export type KeyBook = {
  /** Undefined for whatever is no good key: a typo, one that never was, revoked, expired. */
  find(secret: string): Promise<KeyCaller | undefined>
  /** After a key has been changed here: nothing that was read before counts any more. */
  forget(): void
  /** Writes down the last uses. */
  stop(): Promise<void>
}

export const openKeyBook = ({ sql, log }: Pick<Outside, 'sql' | 'log'>): KeyBook => {
  const recent = openRecent<Known>()
  const uses = openLastUses({ sql, log })

  const read = async (secret: string, hash: Uint8Array): Promise<Known | undefined> => {
    if (!isApiKey(secret)) return undefined
    const began = performance.now()
    const access = await findKeyAccess(sql, hash)
    if (!access) return undefined
    const { id, merchant_id: merchantId, livemode, scopes, api_version: apiVersion, ms_left } = access
    // Counted from before the question: rather a round trip early than late.
    return {
      caller: { id, merchantId, livemode, scopes, apiVersion },
      endsAt: began + (ms_left ?? Number.POSITIVE_INFINITY),
    }
  }

  return {
    find: async secret => {
      const hash = hashApiKey(secret)
      // By the hash, so that no secret stays in memory.
      const known = await recent.get(hash.toString('latin1'), () => read(secret, hash))
      if (!known || performance.now() >= known.endsAt) return undefined
      uses.note(known.caller.id)
      return known.caller
    },
    // All of them: it is rare, and each that is missed costs one read.
    forget: () => recent.clear(),
    stop: () => uses.stop(),
  }
}

/** `endsAt` by the clock of this process that only goes forward. */
type Known = { readonly caller: KeyCaller; readonly endsAt: number }
