import { isGuessable } from '../access/guessable.ts'
import type { SessionCaller } from '../access/session-book.ts'
import { refuse } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { type Account, findAccount, changePassword as updatePassword } from '../queries/accounts.ts'
import { recordWrongPassword } from '../queries/attempts.ts'
import { proveSession } from '../queries/sessions.ts'
import { type Checked, takePasswordCheck } from './password-checks.ts'
import { actorOf } from './sessions.ts'

export const getAccount = async (api: Api, accountId: string): Promise<Account> =>
  (await findAccount(api.sql, accountId)) ?? refuse('invalid_token')

/** For a password that is chosen, by the field that it is sent in. */
export const requireUnguessable = (password: string, email: string, param: string): void => {
  if (isGuessable(password, email)) refuse('parameter_invalid', { param, message: GUESSABLE })
}

export const GUESSABLE = 'Choose another password: this one is common, or made from the e-mail address.'

/** Every other session ends: whoever else knew the old password is out. */
export const changePassword = async (
  api: Api,
  { accountId, sessionId }: SessionCaller,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  from: Checked,
): Promise<void> => {
  const account = await getAccount(api, accountId)
  requireUnguessable(newPassword, account.email, 'newPassword')
  await checkPassword(api, account, currentPassword, from)
  const change = {
    accountId,
    knownHash: account.password_hash,
    newHash: await api.passwords.hash(from.site, newPassword),
    butOne: sessionId,
  }
  const changed = await updatePassword(api.sql, change, { actor: actorOf(accountId), address: from.address })
  api.sessions.forgetAccount(accountId)
  if (!changed) refuse('invalid_credentials')
}

/** Marks the session as proven just now. */
export const stepUpByPassword = async (
  api: Api,
  session: SessionCaller,
  password: string,
  from: Checked,
): Promise<void> => {
  const { accountId, sessionId } = session
  await checkPassword(api, await getAccount(api, accountId), password, from)
  const proven = await proveSession(api.sql, session, { actor: actorOf(accountId), address: from.address })
  api.sessions.forget(sessionId)
  if (!proven) refuse('invalid_token')
}

/** A check like that of a sign-in, and counted like one. */
const checkPassword = async (api: Api, account: Account, password: string, from: Checked): Promise<void> => {
  await takePasswordCheck(api, account.email, from)
  if (await api.passwords.verify(from.site, password, account.password_hash)) return
  const accountId = account.id
  await recordWrongPassword(api.sql, {
    counted: [],
    accountId,
    actor: actorOf(accountId),
    address: from.address,
    action: 'step_up.failed',
  })
  refuse('invalid_credentials')
}
