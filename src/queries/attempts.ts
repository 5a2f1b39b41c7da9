import type { Sql } from '../postgres/connect.ts'

export type AttemptLimit = { readonly allowed: number; readonly seconds: number }

/** Null and it is counted, or how long to wait. `passed`: a pass was there and has been used up instead. */
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

/** Writes down a wrong password, alike for an account that is there and one that is not. */
export const recordWrongPassword = async (
  sql: Sql,
  { counted, accountId, actor, address, action }: WrongPassword,
): Promise<void> => {
  await sql`
    select count_attempt(${[...counted]}::text[]),
      record_security_event(null, ${accountId}, ${actor}, ${address}, ${action}, '{"reason": "password"}'::json)`
}

export type WrongPassword = {
  /** What has yet to be counted. */
  readonly counted: readonly string[]
  readonly accountId: string | null
  readonly actor: string
  readonly address: string
  readonly action: 'sign_in.failed' | 'step_up.failed'
}
