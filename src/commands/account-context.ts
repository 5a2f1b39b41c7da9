import type { Passwords } from '../access/passwords.ts'
import type { SessionBook } from '../access/session-book.ts'
import type { Env } from '../env.ts'
import type { Keyring } from '../keyring.ts'
import type { Outside } from '../outside.ts'

/** The dependencies of the commands for accounts, sessions and members. Each command picks what it uses. */
export type AccountContext = Pick<Outside, 'sql' | 'clock' | 'random'> & {
  readonly keyring: Keyring
  readonly passwords: Passwords
  readonly sessions: SessionBook
  readonly settings: Pick<Env, 'publicUrl' | 'signUp'> & {
    /** The code for the first sign-up; null if only this machine can reach the server, or an account exists. */
    readonly signUpCode: string | null
  }
}
