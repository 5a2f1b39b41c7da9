import { createHash } from 'node:crypto'
import { refuse } from '../errors.ts'
import { type AttemptLimit, takeAttempt } from '../queries/attempts.ts'
import { hasSignedInFrom } from '../queries/sessions.ts'
import type { AccountContext } from './account-context.ts'
import type { ClientInfo } from './sessions.ts'

/** Requests of one `site` wait only for each other. */
export type Checked = ClientInfo & { readonly site: string }

/** Five checks in a sliding minute for a network, and for an account, even if it does not exist. */
const limit: AttemptLimit = { allowed: 5, seconds: 60 }

/**
 * The limits that a password check counts against. All networks from which the account has not signed in recently share one
 * limit of the account, so that wrong passwords from there do not lock out its owner. The log of attempts has no e-mail
 * addresses.
 */
export const passwordSubjects = async (
  { sql }: Pick<AccountContext, 'sql'>,
  email: string,
  { network }: Checked,
): Promise<readonly string[]> => {
  const ofNetwork = `password:${network}`
  return (await hasSignedInFrom(sql, email, network)) ? [ofNetwork] : [`password:${fingerprint(email)}`, ofNetwork]
}

/** A pass for a check that was already counted, for the repeated request with the MFA code. */
export const passOf = (email: string, { network }: Checked): string => `pass:${fingerprint(email)}:${network}`

const fingerprint = (email: string): string => createHash('sha256').update(email).digest('base64url')

/** Counts a check before it is made, or refuses it. Returns false if a pass was used. */
export const takePasswordCheck = (
  context: Pick<AccountContext, 'sql' | 'clock' | 'passwords'>,
  email: string,
  from: Checked,
  pass?: string,
): Promise<boolean> =>
  takeCounted(context, from, { subjects: () => passwordSubjects(context, email, from), limit, pass })

/** Also updates the clock of this process from the database, because codes depend on the time. */
export const takeCounted = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'passwords'>,
  { site }: Checked,
  { subjects, limit: its, pass }: Counted,
): Promise<boolean> => {
  const { wait, passed } = await context.passwords.admit(site, async () => {
    const counted = await subjects()
    const asked = performance.now()
    const taken = await takeAttempt(context.sql, counted, its, pass)
    context.clock.learn(taken.now, performance.now() - asked)
    return taken
  })
  if (wait !== null) refuse('rate_limited', { retryAfter: wait, quota: its })
  return !passed
}

type Counted = {
  readonly subjects: () => readonly string[] | Promise<readonly string[]>
  readonly limit: AttemptLimit
  readonly pass?: string | undefined
}
