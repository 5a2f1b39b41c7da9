import type { KeyBook } from '../access/key-book.ts'
import type { Passwords } from '../access/passwords.ts'
import type { SessionBook } from '../access/session-book.ts'
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
