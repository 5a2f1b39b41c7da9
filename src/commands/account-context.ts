import type { Passwords } from '../access/passwords.ts'
import type { SessionCache } from '../access/session-cache.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Env } from '../env.ts'
import type { Keyring } from '../keyring.ts'

/** The dependencies of the commands for accounts, sessions and members. Each command picks what it uses. */
export type AccountContext = Pick<Dependencies, 'sql' | 'clock' | 'random'> & {
  readonly keyring: Keyring
  readonly passwords: Passwords
  readonly sessions: SessionCache
  readonly settings: Pick<Env, 'publicUrl' | 'signUp'> & {
    /** The code for the first sign-up; null if only this machine can reach the server, or an account exists. */
    readonly signUpCode: string | null
  }
}
