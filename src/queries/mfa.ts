import type { Sql } from '../postgres/connect.ts'
import type { GivenCode, SecurityActor } from './sessions.ts'

export type CodeOutcome = { readonly outcome: 'right' | 'wrong' | 'wait'; readonly wait: number | null }

/** Returns false if MFA is already enabled. */
export const setUpMfa = async (sql: Sql, accountId: string, sealedSecret: string): Promise<boolean> => {
  const [row] = await sql<{ done: boolean }[]>`select set_up_mfa(${accountId}, ${sealedSecret}) as done`
  return row?.done === true
}

export const enableMfa = async (
  sql: Sql,
  accountId: string,
  { knownSecret, step, recoveryHashes }: EnableMfa,
  { actor, address }: SecurityActor,
): Promise<Enabled | undefined> => {
  const [row] = await sql<Enabled[]>`
    select * from enable_mfa(
      ${accountId}, ${knownSecret}, ${step}, ${hashArray(sql, recoveryHashes)},
      ${actor}, ${address})`
  return row
}

/** Replaces the recovery codes, by a code of the authenticator app or by one of the old recovery codes. */
export const replaceRecoveryCodes = async (
  sql: Sql,
  accountId: string,
  { step, recoveryHash, recoveryHashes }: GivenCode & Pick<EnableMfa, 'recoveryHashes'>,
  { actor, address }: SecurityActor,
): Promise<Enabled | undefined> => {
  const [row] = await sql<Enabled[]>`
    select * from replace_recovery_codes(
      ${accountId}, ${step}, ${recoveryHash}, ${hashArray(sql, recoveryHashes)}, ${actor}, ${address})`
  return row
}

const hashArray = (sql: Sql, hashes: readonly Uint8Array[]) =>
  sql`array(select decode(h, 'hex') from unnest(${hashes.map(hash => Buffer.from(hash).toString('hex'))}::text[]) as h)`

type Enabled = CodeOutcome | { readonly outcome: 'conflict'; readonly wait: null }

type EnableMfa = {
  /** The encrypted secret that the code was checked against. */
  readonly knownSecret: string
  readonly step: number | null
  readonly recoveryHashes: readonly Uint8Array[]
}

/** `done`: null if the code was wrong. */
type DoneByCode = CodeOutcome & { readonly done: boolean | null }

/** `done`: whether MFA was enabled. */
export const disableMfaByCode = async (
  sql: Sql,
  accountId: string,
  { step, recoveryHash }: GivenCode,
  { actor, address }: SecurityActor,
): Promise<DoneByCode | undefined> => {
  const [row] = await sql<DoneByCode[]>`
    select outcome, wait, case when outcome = 'right' then disable_mfa(${accountId}, ${actor}, ${address}) end as done
    from use_code(${accountId}, ${step}, ${recoveryHash}, ${actor}, ${address}, 'step_up.failed')`
  return row
}

/** For operators. Returns false if MFA was not enabled. */
export const turnOffMfa = async (sql: Sql, accountId: string, { actor, address }: SecurityActor): Promise<boolean> => {
  const [row] = await sql<{ done: boolean }[]>`select disable_mfa(${accountId}, ${actor}, ${address}) as done`
  return row?.done === true
}

/** `done`: whether the session still existed. */
export const proveSessionByCode = async (
  sql: Sql,
  { sessionId, accountId }: { sessionId: string; accountId: string },
  { step, recoveryHash }: GivenCode,
  { actor, address }: SecurityActor,
): Promise<DoneByCode | undefined> => {
  const [row] = await sql<DoneByCode[]>`
    select outcome, wait,
      case when outcome = 'right' then prove_session(${sessionId}, ${accountId}, true, ${actor}, ${address}) end as done
    from use_code(${accountId}, ${step}, ${recoveryHash}, ${actor}, ${address}, 'step_up.failed')`
  return row
}
