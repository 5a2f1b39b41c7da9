import type { Sql } from '../postgres/connect.ts'

export type AttemptLimit = { readonly allowed: number; readonly seconds: number }

/**
 * `wait`: null if the attempt is allowed and counted, otherwise the seconds to wait. `passed`: a pass was used instead.
 */
export type AttemptResult = { readonly wait: number | null; readonly passed: boolean; readonly now: Date }

export const takeAttempt = async (
  sql: Sql,
  subjects: readonly string[],
  { allowed, seconds }: AttemptLimit,
  pass: string | null = null,
): Promise<AttemptResult> => {
  const [taken] = await sql<[AttemptResult]>`
    select wait, passed, clock_timestamp() as now
    from take_attempt(${[...subjects]}::text[], ${allowed}, make_interval(secs => ${seconds}), ${pass})`
  return taken
}

/** Records a wrong password, in the same way whether the account exists or not. */
export const recordWrongPassword = async (
  sql: Sql,
  { counted, accountId, actor, address, action }: WrongPassword,
): Promise<void> => {
  await sql`
    select count_attempt(${[...counted]}::text[]),
      record_security_event(null, ${accountId}, ${actor}, ${address}, ${action}, '{"reason": "password"}'::json)`
}

export type WrongPassword = {
  /** The subjects for which the attempt must still be counted. */
  readonly counted: readonly string[]
  readonly accountId: string | null
  readonly actor: string
  readonly address: string
  readonly action: 'sign_in.failed' | 'step_up.failed'
}
