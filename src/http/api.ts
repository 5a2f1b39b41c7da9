import { type KeyBook, openKeyBook } from '../access/key-book.ts'
import { openPasswords, type Passwords } from '../access/passwords.ts'
import { openSessionBook, type SessionBook } from '../access/session-book.ts'
import type { Env } from '../env.ts'
import type { Keyring } from '../keyring.ts'
import type { World } from '../world.ts'

/** What routes are given: the world, and what guards it at the door. */
export type Api = World & {
  readonly settings: Pick<Env, 'publicUrl' | 'trustedProxies' | 'signUp' | 'apiRateLimit' | 'checkoutRateLimit'> & {
    /** What the first sign-up must show; null where only this machine can reach it, or an account exists. */
    readonly signUpCode: string | null
  }
  readonly keyring: Keyring
  readonly passwords: Passwords
  readonly sessions: SessionBook
  readonly keys: KeyBook
}

/** Closing writes down what the books remember. */
export type OpenApi = Api & { close(): Promise<void> }

export type ApiOptions = { readonly env: Env; readonly keyring: Keyring; readonly signUpCode: string | null }

export const openApi = (world: World, { env, keyring, signUpCode }: ApiOptions): OpenApi => {
  const sessions = openSessionBook(world, keyring)
  const keys = openKeyBook(world)
  const { publicUrl, trustedProxies, signUp, apiRateLimit, checkoutRateLimit } = env
  return {
    ...world,
    settings: { publicUrl, trustedProxies, signUp, apiRateLimit, checkoutRateLimit, signUpCode },
    keyring,
    passwords: openPasswords(),
    sessions,
    keys,
    close: async () => {
      sessions.stop()
      await keys.stop()
    },
  }
}
