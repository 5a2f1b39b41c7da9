import { isGuessable } from '../access/guessable.ts'
import type { SessionCaller } from '../access/session-cache.ts'
import { refuse } from '../errors.ts'
import { type Account, findAccount, updatePassword } from '../queries/accounts.ts'
import { recordWrongPassword } from '../queries/attempts.ts'
import { proveSession } from '../queries/sessions.ts'
import type { AccountContext } from './account-context.ts'
import { type Checked, takePasswordCheck } from './password-checks.ts'
import { actorOf } from './sessions.ts'

export const getAccount = async (context: Pick<AccountContext, 'sql'>, accountId: string): Promise<Account> =>
  (await findAccount(context.sql, accountId)) ?? refuse('invalid_token')

/** Refuses a new password that is easy to guess. `param` is its field. */
export const requireUnguessable = (password: string, email: string, param: string): void => {
  if (isGuessable(password, email)) refuse('parameter_invalid', { param, message: GUESSABLE })
}

export const GUESSABLE =
  'The password is too easy to guess: it is common, or derived from the e-mail address. Choose another one.'

/** Ends all other sessions, which may belong to someone who knew the old password. */
export const changePassword = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'passwords' | 'sessions'>,
  { accountId, sessionId }: SessionCaller,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  from: Checked,
): Promise<void> => {
  const account = await getAccount(context, accountId)
  requireUnguessable(newPassword, account.email, 'newPassword')
  await checkPassword(context, account, currentPassword, from)
  const change = {
    accountId,
    knownHash: account.password_hash,
    newHash: await context.passwords.hash(from.site, newPassword),
    exceptSession: sessionId,
  }
  const changed = await updatePassword(context.sql, change, { actor: actorOf(accountId), address: from.address })
  context.sessions.forgetAccount(accountId)
  if (!changed) refuse('invalid_credentials')
}

/** Records a step-up of the session. */
export const stepUpByPassword = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'passwords' | 'sessions'>,
  session: SessionCaller,
  password: string,
  from: Checked,
): Promise<void> => {
  const { accountId, sessionId } = session
  await checkPassword(context, await getAccount(context, accountId), password, from)
  const proven = await proveSession(context.sql, session, { actor: actorOf(accountId), address: from.address })
  context.sessions.forget(sessionId)
  if (!proven) refuse('invalid_token')
}

/** Checks a password and counts it, as for a sign-in. */
const checkPassword = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'passwords'>,
  account: Account,
  password: string,
  from: Checked,
): Promise<void> => {
  await takePasswordCheck(context, account.email, from)
  if (await context.passwords.verify(from.site, password, account.password_hash)) return
  const accountId = account.id
  await recordWrongPassword(context.sql, {
    counted: [],
    accountId,
    actor: actorOf(accountId),
    address: from.address,
    action: 'step_up.failed',
  })
  refuse('invalid_credentials')
}
