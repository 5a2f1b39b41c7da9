import type { Dependencies } from '../dependencies.ts'
import type { Keyring } from '../keyring.ts'
import type { Role } from '../queries/members.ts'
import { findLiveSession, findRole, type LiveSession } from '../queries/sessions.ts'
import { readAccessToken } from './access-token.ts'
import { openTtlCache } from './ttl-cache.ts'

export type SessionCaller = {
  readonly sessionId: string
  readonly accountId: string
  /** When the password or a code was last entered. A refresh does not count. */
  readonly provenAt: Date
  /** Whether it was opened or confirmed with a code of the account's second factor. */
  readonly hasSecondFactor: boolean
  readonly isOperator: boolean
}

/**
 * Finds sessions and roles. Rows are cached for a second, so that a sign-out or a removed role takes effect within a
 * second in every process, and immediately in the process that called `forget`.
 */
export type SessionCache = {
  /** Returns undefined if the access token is forged or expired, or its session has ended. */
  find(accessToken: string): Promise<{ readonly session: SessionCaller } | undefined>
  roleIn(accountId: string, merchantId: string): Promise<Role | undefined>
  /** To be called after a session has ended, or its password or code was entered again. */
  forget(sessionId: string): void
  /** To be called after roles of the account have changed, or several of its sessions have ended. */
  forgetAccount(accountId: string): void
  stop(): void
}

export const openSessionCache = (
  { sql, clock }: Pick<Dependencies, 'sql' | 'clock'>,
  keyring: Keyring,
): SessionCache => {
  const sessions = openTtlCache<LiveSession>()
  const roles = openTtlCache<Role>()

  const read = async (sessionId: string): Promise<LiveSession | undefined> => {
    const sentAt = performance.now()
    const session = await findLiveSession(sql, sessionId)
    if (session) clock.learn(session.now, performance.now() - sentAt)
    return session
  }
  const clear = () => {
    sessions.clear()
    roles.clear()
  }

  return {
    find: async accessToken => {
      const claims = await readAccessToken(keyring, accessToken)
      if (!claims) return undefined
      const { accountId, sessionId, expiresAt } = claims
      const row = await sessions.get(sessionId, () => read(sessionId))
      // Compared after the read, which has adjusted the clock to the database's time.
      if (row?.account_id !== accountId || clock.now() >= expiresAt) return undefined
      const { proven_at: provenAt, second_factor: hasSecondFactor, operator: isOperator } = row
      return { session: { sessionId, accountId, provenAt, hasSecondFactor, isOperator } }
    },
    roleIn: async (accountId, merchantId) =>
      roles.get(`${accountId} ${merchantId}`, () => findRole(sql, accountId, merchantId)),
    forget: sessionId => sessions.forget(sessionId),
    // Clears all entries: changes are rare, and a missing entry costs one query.
    forgetAccount: clear,
    stop: clear,
  }
}
