import type { Sql } from '../postgres/connect.ts'

export type Limit = { readonly allowed: number; readonly seconds: number }

/** Seconds to wait, or null and it is counted. A `pass` that is there is used up instead. */
export const takeAttempt = async (
  sql: Sql,
  subjects: readonly string[],
  { allowed, seconds }: Limit,
  pass: string | null = null,
): Promise<number | null> => {
  const [row] = await sql<{ wait: number | null }[]>`
    select take_attempt(${[...subjects]}::text[], ${allowed}, make_interval(secs => ${seconds}), ${pass}) as wait`
  return row?.wait ?? null
}

/** Counts a failed sign-in and writes it down, alike for an account that is there and one that is not. */
export const recordFailedSignIn = async (
  sql: Sql,
  { counted, accountId, actor, address }: FailedSignIn,
): Promise<void> => {
  await sql`
    select count_attempt(${[...counted]}::text[]),
      record_security_event(null, ${accountId}, ${actor}, ${address}, 'sign_in.failed', '{"reason": "password"}'::json)`
}

export type FailedSignIn = {
  /** What has not been counted yet. */
  readonly counted: readonly string[]
  readonly accountId: string | null
  readonly actor: string
  readonly address: string
}
