import type { Sql } from '../postgres/connect.ts'
import type { NewSession, SecurityActor } from './sessions.ts'

export type Account = {
  readonly id: string
  readonly email: string
  readonly password_hash: string
  readonly mfa_secret: string | null
  readonly mfa_enabled_at: Date | null
  readonly operator: boolean
}

export const findAccountByEmail = async (sql: Sql, email: string): Promise<Account | undefined> => {
  const [account] = await sql<Account[]>`select ${columns(sql)} from accounts where email = ${email}`
  return account
}

export const findAccount = async (sql: Sql, id: string): Promise<Account | undefined> => {
  const [account] = await sql<Account[]>`select ${columns(sql)} from accounts where id = ${id}`
  return account
}

const columns = (sql: Sql) => sql`id, email, password_hash, mfa_secret, mfa_enabled_at, operator`

export const listOperators = (sql: Sql): Promise<Account[]> => sql<Account[]>`
  select ${columns(sql)} from accounts where operator order by email`

/** False if the account was one already, or was none. */
export const setOperator = async (
  sql: Sql,
  accountId: string,
  isOperator: boolean,
  { actor, address }: SecurityActor,
): Promise<boolean> => {
  const [row] = await sql<{ changed: boolean }[]>`
    select set_operator(${accountId}, ${isOperator}, ${actor}, ${address}) as changed`
  return row?.changed === true
}

export const hasAccounts = async (sql: Sql): Promise<boolean> => (await sql`select from accounts limit 1`).length > 0

/** Returns false if the e-mail address already has an account. */
export const createAccount = async (
  sql: Sql,
  { id, email, passwordHash }: { id: string; email: string; passwordHash: string },
  { actor, address }: SecurityActor,
): Promise<boolean> => {
  const [row] = await sql<{ created: boolean }[]>`
    select created, case when created then record_security_event(null, ${id}, ${actor}, ${address}, 'account.created') end
    from create_account(${id}, ${email}, ${passwordHash}) as created`
  return row?.created === true
}

export type NewAccount = {
  readonly mode: 'open' | 'closed' | 'first'
  /** The sign-up code for the first account was correct, or none is needed. */
  readonly isCodeAccepted: boolean
  readonly accountId: string
  readonly email: string
  readonly passwordHash: string
  readonly merchantId: string
  readonly merchantName: string
}

type SignedUp = { readonly outcome: 'signed_up' | 'closed' | 'email_taken'; readonly now: Date }

export const insertAccount = async (
  sql: Sql,
  { mode, isCodeAccepted, accountId, email, passwordHash, merchantId, merchantName }: NewAccount,
  { id, tokenHash, actor, address, network, userAgent }: NewSession,
): Promise<SignedUp | undefined> => {
  const [row] = await sql<SignedUp[]>`
    select sign_up(
      ${mode}, ${isCodeAccepted}, ${accountId}, ${email}, ${passwordHash}, ${merchantId}, ${merchantName},
      ${id}, ${tokenHash}, ${actor}, ${address}, ${network}, ${userAgent}) as outcome, now()`
  return row
}

export type PasswordChange = {
  readonly accountId: string
  /** The hash that the old password was checked against; null if an operator sets a new password. */
  readonly knownHash: string | null
  readonly newHash: string
  /** The session that is not ended. */
  readonly exceptSession: string | null
}

/** Changes the password and ends the other sessions. Returns false if the password has changed since it was checked. */
export const updatePassword = async (
  sql: Sql,
  { accountId, knownHash, newHash, exceptSession }: PasswordChange,
  { actor, address }: SecurityActor,
): Promise<boolean> => {
  const [row] = await sql<{ changed: boolean }[]>`
    select change_password(${accountId}, ${knownHash}, ${newHash}, ${exceptSession}, ${actor}, ${address}) as changed`
  return row?.changed === true
}
