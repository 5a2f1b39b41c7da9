import type { Outside } from '../outside.ts'
import { findKeyAccess } from '../queries/key-access.ts'
import type { Scope } from '../resources.ts'
import { isApiKey, spellHash } from './api-key.ts'
import { openLastUses } from './last-use.ts'
import { openRecent } from './recent.ts'

export type KeyCaller = {
  readonly id: string
  readonly merchantId: string
  readonly livemode: boolean
  readonly scopes: readonly (Scope | '*')[]
  readonly apiVersion: string
}

/** Who may call with which secret, remembered for at most a second. */
export type KeyBook = {
  /** Undefined for whatever is no good key: a typo, one that never was, revoked, expired. */
  find(secret: string): KeyCaller | undefined | Promise<KeyCaller | undefined>
  /** After a key has been changed here: nothing that was read before counts any more. */
  forget(): void
  /** Writes down the last uses. */
  stop(): Promise<void>
}

export const openKeyBook = ({ sql, log }: Pick<Outside, 'sql' | 'log'>): KeyBook => {
  const recent = openRecent<Known>()
  const uses = openLastUses({ sql, log })

  const read = async (secret: string, hash: string): Promise<Known | undefined> => {
    if (!isApiKey(secret)) return undefined
    const began = performance.now()
    const access = await findKeyAccess(sql, Buffer.from(hash, 'latin1'))
    if (!access) return undefined
    const { id, merchant_id: merchantId, livemode, scopes, api_version: apiVersion, ms_left } = access
    // Counted from before the question: rather a round trip early than late.
    return {
      caller: { id, merchantId, livemode, scopes, apiVersion },
      endsAt: began + (ms_left ?? Number.POSITIVE_INFINITY),
    }
  }

  const admit = (known: Known | undefined): KeyCaller | undefined => {
    if (!known || performance.now() >= known.endsAt) return undefined
    uses.note(known.caller.id)
    return known.caller
  }

  return {
    find: secret => {
      // By the hash, so that no secret stays in memory.
      const hash = spellHash(secret)
      const known = recent.get(hash, () => read(secret, hash))
      return known instanceof Promise ? known.then(admit) : admit(known)
    },
    // All of them: it is rare, and each that is missed costs one read.
    forget: () => recent.clear(),
    stop: () => uses.stop(),
  }
}

/** `endsAt` by the clock of this process that only goes forward. */
type Known = { readonly caller: KeyCaller; readonly endsAt: number }
