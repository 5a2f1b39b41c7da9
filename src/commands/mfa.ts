import { hashRecoveryCode, makeRecoveryCodes } from '../access/recovery-codes.ts'
import type { SessionCaller } from '../access/session-book.ts'
import { makeTotpSecret, otpauthUrl } from '../access/totp.ts'
import { refuse } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { disableMfaByCode, enableMfa, proveSessionByCode, setUpMfa } from '../queries/mfa.ts'
import { judgeCode, MFA_PURPOSE, refuseCode } from './codes.ts'
import { getAccount } from './passwords.ts'
import { actorOf, type From } from './sessions.ts'

/** Shows a new secret, which protects nothing until a code of it has been confirmed. */
export const beginMfa = async (
  api: Api,
  { accountId }: SessionCaller,
): Promise<{ secret: string; otpauthUrl: string }> => {
  const { email } = await getAccount(api, accountId)
  const secret = makeTotpSecret(api.random)
  if (!(await setUpMfa(api.sql, accountId, api.keyring.seal(MFA_PURPOSE, accountId, secret))))
    refuse('state_conflict', { message: 'MFA is on already: disable it first.' })
  return { secret, otpauthUrl: otpauthUrl(secret, email) }
}

/** Turns MFA on, and shows the recovery codes for the only time. */
export const confirmMfa = async (
  api: Api,
  { accountId }: SessionCaller,
  code: string,
  { address }: From,
): Promise<readonly string[]> => {
  const account = await getAccount(api, accountId)
  if (account.mfa_secret === null || account.mfa_enabled_at !== null) return refuseConfirm()
  const recoveryCodes = makeRecoveryCodes(api.random)
  const confirmed = await enableMfa(
    api.sql,
    accountId,
    {
      knownSecret: account.mfa_secret,
      step: judgeCode(api, account, code).step,
      recoveryHashes: recoveryCodes.flatMap(each => hashRecoveryCode(each) ?? []),
    },
    { actor: actorOf(accountId), address },
  )
  if (!confirmed || confirmed.outcome === 'conflict') return refuseConfirm()
  refuseCode(confirmed)
  return recoveryCodes
}

const refuseConfirm = () => refuse('state_conflict', { message: 'There is no secret to confirm: set one up first.' })

export const disableMfa = async (
  api: Api,
  { accountId }: SessionCaller,
  code: string,
  { address }: From,
): Promise<void> => {
  const account = await getAccount(api, accountId)
  if (account.mfa_enabled_at === null) refuse('state_conflict', { message: 'MFA is off already.' })
  const by = { actor: actorOf(accountId), address }
  const disabled = await disableMfaByCode(api.sql, accountId, judgeCode(api, account, code), by)
  if (disabled) refuseCode(disabled)
  if (!disabled?.done) refuse('state_conflict', { message: 'MFA is off already.' })
}

/** Marks the session as proven just now. Without MFA no code is right. */
export const stepUpByCode = async (
  api: Api,
  session: SessionCaller,
  code: string,
  { address }: From,
): Promise<void> => {
  const { accountId, sessionId } = session
  const account = await getAccount(api, accountId)
  if (account.mfa_enabled_at === null) refuse('invalid_mfa_code')
  const by = { actor: actorOf(accountId), address }
  const proven = await proveSessionByCode(api.sql, session, judgeCode(api, account, code), by)
  api.sessions.forget(sessionId)
  if (proven) refuseCode(proven)
  if (!proven?.done) refuse('invalid_token')
}
