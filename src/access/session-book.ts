import type { Keyring } from '../keyring.ts'
import type { Outside } from '../outside.ts'
import type { Role } from '../queries/members.ts'
import { findLiveSession, findRole, type LiveSession } from '../queries/sessions.ts'
import { readAccessToken } from './access-token.ts'
import { openRecent } from './recent.ts'

export type SessionCaller = {
  readonly sessionId: string
  readonly accountId: string
  /** When the password or a code was given last; a refresh does not count. */
  readonly provenAt: Date
}

/**
 * Who has signed in, and what they may do where. Rows are believed for a second, so that a sign-out
 * or a removal acts within that time in every process, and at once in the one that was told to forget.
 */
export type SessionBook = {
  /** By an access token. Undefined for one that is forged or over, or whose session has ended. */
  find(accessToken: string): Promise<{ readonly session: SessionCaller } | undefined>
  roleIn(accountId: string, merchantId: string): Promise<Role | undefined>
  /** After a session has ended, or has been proven again. */
  forget(sessionId: string): void
  /** After its roles have changed, or several of its sessions have ended. */
  forgetAccount(accountId: string): void
  stop(): void
}

export const openSessionBook = ({ sql, clock }: Pick<Outside, 'sql' | 'clock'>, keyring: Keyring): SessionBook => {
  const sessions = openRecent<LiveSession>()
  const roles = openRecent<Role>()

  const read = async (sessionId: string): Promise<LiveSession | undefined> => {
    const asked = performance.now()
    const session = await findLiveSession(sql, sessionId)
    if (session) clock.learn(session.now, performance.now() - asked)
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
      // Compared after the read, which has told this process the database's time.
      if (row?.account_id !== accountId || clock.now() >= expiresAt) return undefined
      return { session: { sessionId, accountId, provenAt: row.proven_at } }
    },
    roleIn: async (accountId, merchantId) =>
      roles.get(`${accountId} ${merchantId}`, () => findRole(sql, accountId, merchantId)),
    forget: sessionId => sessions.forget(sessionId),
    // All of them: it is rare, and each that is missed costs one read.
    forgetAccount: clear,
    stop: clear,
  }
}
