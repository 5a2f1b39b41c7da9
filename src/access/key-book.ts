import type { KeyCaller } from '../http/route.ts'
import { findKeyAccess, type KeyAccess } from '../queries/key-access.ts'
import type { Outside } from '../world.ts'
import { hashApiKey, isApiKey } from './api-key.ts'
import { openLastUses } from './last-use.ts'

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
  const pages = new Map<string, Page>()
  const uses = openLastUses({ sql, log })

  const read = (name: string, hash: Uint8Array, began: number): Page => {
    const page: Page = { began, access: findKeyAccess(sql, hash) }
    pages.delete(name)
    const [oldest] = pages.size < mostPages ? [] : pages.keys()
    if (oldest !== undefined) pages.delete(oldest)
    pages.set(name, page)
    // A failure is nobody's page, and a stranger takes no room.
    const drop = () => {
      if (pages.get(name) === page) pages.delete(name)
    }
    page.access.then(access => access ?? drop(), drop)
    return page
  }

  return {
    find: async secret => {
      const hash = hashApiKey(secret)
      const name = hash.toString('latin1')
      const now = performance.now()
      // From when its read began: what changed during the read may not be on the page. Whoever comes
      // during the read waits for the same answer.
      const known = pages.get(name)
      const fresh = known && now - known.began < pageMs ? known : undefined
      if (!fresh && !isApiKey(secret)) return undefined
      const page = fresh ?? read(name, hash, now)
      const access = await page.access
      if (!access || isOver(access, page.began)) return undefined
      uses.note(access.id)
      return {
        id: access.id,
        merchantId: access.merchant_id,
        livemode: access.livemode,
        scopes: access.scopes,
        apiVersion: access.api_version,
      }
    },
    forget: () => pages.clear(),
    stop: () => uses.stop(),
  }
}

type Page = { readonly began: number; readonly access: Promise<KeyAccess | undefined> }

const pageMs = 1_000
const mostPages = 10_000

/** Rather a round trip early than late. */
const isOver = ({ ms_left }: KeyAccess, readBegan: number): boolean =>
  ms_left !== null && performance.now() - readBegan >= ms_left
