import { hashRecoveryCode } from '../access/recovery-codes.ts'
import { findTotpStep } from '../access/totp.ts'
import { refuse } from '../errors.ts'
import type { Account } from '../queries/accounts.ts'
import type { CodeOutcome } from '../queries/mfa.ts'
import type { GivenCode } from '../queries/sessions.ts'
import { MFA_PURPOSE } from '../sealed-columns.ts'
import type { AccountContext } from './account-context.ts'

/** Checks a code. The database checks that it was not used before. */
export const judgeCode = (
  context: Pick<AccountContext, 'keyring' | 'clock'>,
  { id, mfa_secret }: Account,
  code: string,
): GivenCode => {
  const digits = code.replace(/[\s-]/g, '')
  if (mfa_secret === null || !/^\d{6}$/.test(digits))
    return { step: null, recoveryHash: hashRecoveryCode(code) ?? null }
  const secret = context.keyring.open(MFA_PURPOSE, id, mfa_secret)
  return { step: findTotpStep(secret, digits, context.clock.now()) ?? null, recoveryHash: null }
}

/** The limit in use_code(). */
const CODE_QUOTA = { allowed: 5, seconds: 300 }

/** Throws the error for a code that was not accepted. */
export const refuseCode = ({ outcome, wait }: CodeOutcome): void => {
  if (outcome === 'wait') refuse('rate_limited', { retryAfter: wait ?? 1, quota: CODE_QUOTA })
  if (outcome === 'wrong') refuse('invalid_mfa_code')
}
