import { refuse } from '../errors.ts'
import { findAccountByEmail } from '../queries/accounts.ts'
import { recordWrongPassword } from '../queries/attempts.ts'
import { insertSignIn } from '../queries/sessions.ts'
import type { AccountContext } from './account-context.ts'
import { judgeCode, refuseCode } from './codes.ts'
import { type Checked, passOf, passwordSubjects, takePasswordCheck } from './password-checks.ts'
import { draftSession, issueTokens, type Tokens } from './sessions.ts'

export type Credentials = { readonly email: string; readonly password: string; readonly code?: string }

/**
 * An account that does not exist is handled as a wrong password: with the same statements, the same hashing and the same
 * response.
 */
export const signIn = async (
  context: Omit<AccountContext, 'sessions'>,
  { email, password, code }: Credentials,
  from: Checked,
): Promise<{ readonly accountId: string; readonly tokens: Tokens }> => {
  const pass = passOf(email, from)
  const counted = await takePasswordCheck(context, email, from, code === undefined ? undefined : pass)
  const account = await findAccountByEmail(context.sql, email)
  const right = await context.passwords.verify(from.site, password, account?.password_hash)
  if (!account || !right) {
    await recordWrongPassword(context.sql, {
      counted: counted ? [] : await passwordSubjects(context, email, from),
      accountId: account?.id ?? null,
      actor: 'anonymous',
      address: from.address,
      action: 'sign_in.failed',
    })
    return refuse('invalid_credentials')
  }

  const [session, token] = draftSession(context, account.id, from)
  const given = code === undefined ? undefined : judgeCode(context, account, code)
  const signed = await insertSignIn(
    context.sql,
    { accountId: account.id, knownHash: account.password_hash, code: given, pass },
    session,
  )
  if (signed?.outcome === 'signed_in')
    return { accountId: account.id, tokens: await issueTokens(context, account.id, token, signed.now) }
  if (signed?.outcome === 'mfa_required') refuse('mfa_required')
  if (signed?.outcome === 'wrong' || signed?.outcome === 'wait')
    refuseCode({ outcome: signed.outcome, wait: signed.wait })
  // The account has changed since the check.
  return refuse('invalid_credentials')
}
