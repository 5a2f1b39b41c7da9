import type { Sql } from '../postgres/connect.ts'
import type { Role } from './members.ts'

/** A code to be checked by the database: the TOTP step for which it is valid, or its hash as a recovery code. */
export type GivenCode = { readonly step: number | null; readonly recoveryHash: Uint8Array | null }
/** Who acts, and the network address; null for an operator. */
export type SecurityActor = { readonly actor: string; readonly address: string | null }

export type NewSession = {
  readonly id: string
  readonly tokenHash: Uint8Array
  readonly actor: string
  readonly address: string
  readonly network: string
  readonly userAgent: string | null
}

export type LiveSession = {
  readonly account_id: string
  readonly proven_at: Date
  /** Whether a code of the account's present second factor was given in this session. */
  readonly second_factor: boolean
  readonly operator: boolean
  readonly now: Date
}

export const findLiveSession = async (sql: Sql, id: string): Promise<LiveSession | undefined> => {
  const [session] = await sql<LiveSession[]>`
    select account_id, proven_at, coalesce(second_factor_at > mfa_enabled_at, false) as second_factor, operator,
      clock_timestamp() as now
    from sessions join accounts on accounts.id = account_id
    where sessions.id = ${id} and ended_at is null`
  return session
}

export const findRole = async (sql: Sql, accountId: string, merchantId: string): Promise<Role | undefined> => {
  const [member] = await sql<{ role: Role }[]>`
    select role from members where account_id = ${accountId} and merchant_id = ${merchantId}`
  return member?.role
}

/** Returns the database time, at which the session's first access token is issued. */
export const insertSession = async (
  sql: Sql,
  accountId: string,
  { id, tokenHash, actor, address, network, userAgent }: NewSession,
): Promise<Date | undefined> => {
  const [row] = await sql<{ now: Date }[]>`
    select open_session(${id}, ${accountId}, ${tokenHash}, ${actor}, ${address}, ${network}, ${userAgent}), now()`
  return row?.now
}

/** Whether the account of the e-mail address has signed in from the network within the last 30 days. */
export const hasSignedInFrom = async (sql: Sql, email: string, network: string): Promise<boolean> => {
  const found = await sql`
    select from accounts join sessions on sessions.account_id = accounts.id
    where accounts.email = ${email} and sessions.network = ${network}
      and sessions.created_at > clock_timestamp() - interval '30 days'
    limit 1`
  return found.length > 0
}

export type SignIn = {
  readonly accountId: string
  /** The hash that the password was checked against. */
  readonly knownHash: string
  /** Undefined if no code was given. */
  readonly code: GivenCode | undefined
  /** The pass that is stored if the password was correct and a code is still required. */
  readonly pass: string
}

export type SignedIn = {
  readonly outcome: 'signed_in' | 'mfa_required' | 'wrong' | 'wait' | 'changed'
  readonly wait: number | null
  readonly now: Date
}

export const insertSignIn = async (
  sql: Sql,
  { accountId, knownHash, code, pass }: SignIn,
  { id, tokenHash, actor, address, network, userAgent }: NewSession,
): Promise<SignedIn | undefined> => {
  const [row] = await sql<SignedIn[]>`
    select outcome, wait, now() from sign_in(
      ${accountId}, ${knownHash}, ${code !== undefined}, ${code?.step ?? null}, ${code?.recoveryHash ?? null}, ${pass},
      ${id}, ${tokenHash}, ${actor}, ${address}, ${network}, ${userAgent})`
  return row
}

export type Rotated = {
  readonly outcome: 'rotated' | 'replayed' | 'dead'
  readonly account: string | null
  /** The hash of the currently valid token. */
  readonly current_hash: Uint8Array | null
  readonly now: Date
}

export const rotateSession = async (
  sql: Sql,
  { sessionId, shown, successor, address }: Rotation,
): Promise<Rotated | undefined> => {
  const [row] = await sql<Rotated[]>`
    select outcome, account, current_hash, clock_timestamp() as now
    from rotate_session(${sessionId}, ${shown}, ${successor}, ${address})`
  return row
}

type Rotation = {
  readonly sessionId: string
  readonly shown: Uint8Array
  readonly successor: Uint8Array
  readonly address: string
}

/** The account whose session has this refresh token, or had it before the current one. */
export const findSessionByToken = async (
  sql: Sql,
  sessionId: string,
  hash: Uint8Array,
): Promise<string | undefined> => {
  const [row] = await sql<{ account_id: string }[]>`
    select account_id from sessions
    where id = ${sessionId} and ended_at is null and (token_hash = ${hash} or previous_hash = ${hash})`
  return row?.account_id
}

/** Ends all sessions of an account, `only` one, or all `but` one. Returns how many were ended. */
export const endSessions = async (
  sql: Sql,
  { accountId, only = null, but = null }: { accountId: string; only?: string | null; but?: string | null },
  { actor, address }: SecurityActor,
): Promise<number> => {
  const [row] = await sql<{ ended: number }[]>`
    select end_sessions(${accountId}, ${only}, ${but}, ${actor}, ${address}) as ended`
  return row?.ended ?? 0
}

/** Records that the password was given. Returns false if the session has ended. */
export const proveSession = async (
  sql: Sql,
  { sessionId, accountId }: { sessionId: string; accountId: string },
  { actor, address }: SecurityActor,
): Promise<boolean> => {
  const [row] = await sql<{ proven: boolean }[]>`
    select prove_session(${sessionId}, ${accountId}, false, ${actor}, ${address}) as proven`
  return row?.proven === true
}

export type SessionRow = {
  readonly id: string
  readonly address: string
  readonly user_agent: string | null
  readonly created_at: Date
  readonly last_used_at: Date
}

/** Sessions that can still be used, the latest first. An account has at most a hundred. */
export const listSessions = (sql: Sql, accountId: string): Promise<SessionRow[]> => sql<SessionRow[]>`
  select id, address, user_agent, created_at, last_used_at from sessions
  where account_id = ${accountId} and ended_at is null and last_used_at > now() - interval '30 days'
  order by last_used_at desc, id desc`
