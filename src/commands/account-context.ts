import type { Passwords } from '../access/passwords.ts'
import type { SessionBook } from '../access/session-book.ts'
import type { Env } from '../env.ts'
import type { Keyring } from '../keyring.ts'
import type { Outside } from '../world.ts'

/** What the commands of accounts, sessions and members are given. Each of them picks what it uses. */
export type AccountContext = Pick<Outside, 'sql' | 'clock' | 'random'> & {
  readonly keyring: Keyring
  readonly passwords: Passwords
  readonly sessions: SessionBook
  readonly settings: Pick<Env, 'publicUrl' | 'signUp'> & {
    /** What the first sign-up must show; null where only this machine can reach it, or an account exists. */
    readonly signUpCode: string | null
  }
}
