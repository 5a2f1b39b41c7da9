import { refuse } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { findAccountByEmail } from '../queries/accounts.ts'
import { recordWrongPassword } from '../queries/attempts.ts'
import { signIn as insertSession } from '../queries/sessions.ts'
import { judgeCode, refuseCode } from './codes.ts'
import { type Checked, passOf, passwordSubjects, takePasswordCheck } from './password-checks.ts'
import { draftSession, issueTokens, type Tokens } from './sessions.ts'

export type SignIn = { readonly email: string; readonly password: string; readonly code?: string }

/**
 * An account that is not there goes the same way as a wrong password: the same statements, the same
 * hashing, the same answer.
 */
export const signIn = async (
  api: Api,
  { email, password, code }: SignIn,
  from: Checked,
): Promise<{ readonly accountId: string; readonly tokens: Tokens }> => {
  const pass = passOf(email, from)
  const counted = await takePasswordCheck(api, email, from, code === undefined ? undefined : pass)
  const account = await findAccountByEmail(api.sql, email)
  const right = await api.passwords.verify(from.site, password, account?.password_hash)
  if (!account || !right) {
    await recordWrongPassword(api.sql, {
      counted: counted ? [] : await passwordSubjects(api, email, from),
      accountId: account?.id ?? null,
      actor: 'anonymous',
      address: from.address,
      action: 'sign_in.failed',
    })
    return refuse('invalid_credentials')
  }

  const [session, token] = draftSession(api, account.id, from)
  const given = code === undefined ? undefined : judgeCode(api, account, code)
  const signed = await insertSession(
    api.sql,
    { accountId: account.id, knownHash: account.password_hash, code: given, pass },
    session,
  )
  if (signed?.outcome === 'signed_in')
    return { accountId: account.id, tokens: await issueTokens(api, account.id, token, signed.now) }
  if (signed?.outcome === 'mfa_required') refuse('mfa_required')
  if (signed?.outcome === 'wrong' || signed?.outcome === 'wait')
    refuseCode({ outcome: signed.outcome, wait: signed.wait })
  // Changed since it was checked.
  return refuse('invalid_credentials')
}
