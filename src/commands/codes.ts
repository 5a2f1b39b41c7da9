import { hashRecoveryCode } from '../access/recovery-codes.ts'
import { findTotpStep } from '../access/totp.ts'
import { refuse } from '../errors.ts'
import type { Account } from '../queries/accounts.ts'
import type { CodeOutcome, GivenCode } from '../queries/mfa.ts'
import type { AccountContext } from './account-context.ts'

/** What seals a TOTP secret; `bun run rekey` names it too. */
export const MFA_PURPOSE = 'mfa'

/** What a code is right for. Whether that is unspent, the database decides. */
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

/** As use_code() counts them. */
const CODE_QUOTA = { allowed: 5, seconds: 300 }

/** A code that was not right, as the caller is told of it. */
export const refuseCode = ({ outcome, wait }: CodeOutcome): void => {
  if (outcome === 'wait') refuse('rate_limited', { retryAfter: wait ?? 1, quota: CODE_QUOTA })
  if (outcome === 'wrong') refuse('invalid_mfa_code')
}
