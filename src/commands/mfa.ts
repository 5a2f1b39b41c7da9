import { hashRecoveryCode, makeRecoveryCodes } from '../access/recovery-codes.ts'
import type { SessionCaller } from '../access/session-cache.ts'
import { makeTotpSecret, otpauthUrl } from '../access/totp.ts'
import { refuse } from '../errors.ts'
import { disableMfaByCode, enableMfa, proveSessionByCode, replaceRecoveryCodes, setUpMfa } from '../queries/mfa.ts'
import { MFA_PURPOSE } from '../sealed-columns.ts'
import type { AccountContext } from './account-context.ts'
import { judgeCode, refuseCode } from './codes.ts'
import { getAccount } from './passwords.ts'
import { actorOf, type ClientInfo } from './sessions.ts'

/** Creates a new secret. MFA is off until a code is confirmed. */
export const beginMfa = async (
  context: Pick<AccountContext, 'sql' | 'random' | 'keyring'>,
  { accountId }: SessionCaller,
): Promise<{ secret: string; otpauthUrl: string }> => {
  const { email } = await getAccount(context, accountId)
  const secret = makeTotpSecret(context.random)
  if (!(await setUpMfa(context.sql, accountId, context.keyring.seal(MFA_PURPOSE, accountId, secret))))
    refuse('state_conflict', { message: 'MFA is already on. Turn it off first.' })
  return { secret, otpauthUrl: otpauthUrl(secret, email) }
}

/** Turns MFA on, and returns the recovery codes, which are shown only once. */
export const confirmMfa = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'random' | 'keyring'>,
  { accountId }: SessionCaller,
  code: string,
  { address }: ClientInfo,
): Promise<readonly string[]> => {
  const account = await getAccount(context, accountId)
  if (account.mfa_secret === null || account.mfa_enabled_at !== null) return refuseConfirm()
  const recoveryCodes = makeRecoveryCodes(context.random)
  const confirmed = await enableMfa(
    context.sql,
    accountId,
    {
      knownSecret: account.mfa_secret,
      step: judgeCode(context, account, code).step,
      recoveryHashes: hashesOf(recoveryCodes),
    },
    { actor: actorOf(accountId), address },
  )
  if (!confirmed || confirmed.outcome === 'conflict') return refuseConfirm()
  refuseCode(confirmed)
  return recoveryCodes
}

const hashesOf = (codes: readonly string[]) => codes.flatMap(each => hashRecoveryCode(each) ?? [])

/** Replaces the recovery codes. The old ones are no longer accepted. */
export const renewRecoveryCodes = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'random' | 'keyring'>,
  { accountId }: SessionCaller,
  code: string,
  { address }: ClientInfo,
): Promise<readonly string[]> => {
  const account = await getAccount(context, accountId)
  const isOff = (): never => refuse('state_conflict', { message: 'MFA is off. Set up MFA first.' })
  if (account.mfa_enabled_at === null) return isOff()
  const recoveryCodes = makeRecoveryCodes(context.random)
  const given = { ...judgeCode(context, account, code), recoveryHashes: hashesOf(recoveryCodes) }
  const replaced = await replaceRecoveryCodes(context.sql, accountId, given, { actor: actorOf(accountId), address })
  if (!replaced || replaced.outcome === 'conflict') return isOff()
  refuseCode(replaced)
  return recoveryCodes
}

const refuseConfirm = () =>
  refuse('state_conflict', { message: 'There is no MFA secret to confirm. Set up MFA first.' })

export const disableMfa = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'keyring'>,
  { accountId }: SessionCaller,
  code: string,
  { address }: ClientInfo,
): Promise<void> => {
  const account = await getAccount(context, accountId)
  if (account.mfa_enabled_at === null) refuse('state_conflict', { message: 'MFA is already off.' })
  const by = { actor: actorOf(accountId), address }
  const disabled = await disableMfaByCode(context.sql, accountId, judgeCode(context, account, code), by)
  if (disabled) refuseCode(disabled)
  if (!disabled?.done) refuse('state_conflict', { message: 'MFA is already off.' })
}

/** Records a step-up of the session. Without MFA every code is wrong. */
export const stepUpByCode = async (
  context: Pick<AccountContext, 'sql' | 'clock' | 'keyring' | 'sessions'>,
  session: SessionCaller,
  code: string,
  { address }: ClientInfo,
): Promise<void> => {
  const { accountId, sessionId } = session
  const account = await getAccount(context, accountId)
  if (account.mfa_enabled_at === null) refuse('invalid_mfa_code')
  const by = { actor: actorOf(accountId), address }
  const proven = await proveSessionByCode(context.sql, session, judgeCode(context, account, code), by)
  context.sessions.forget(sessionId)
  if (proven) refuseCode(proven)
  if (!proven?.done) refuse('invalid_token')
}
