import { encodeId } from '../ids.ts'
import type { Account } from '../queries/accounts.ts'
import type { Membership } from '../queries/merchants.ts'
import { merchantRecord } from './merchant.ts'

/** The account of the caller, with its merchants. */
export const accountRecord = (
  { id, email, mfa_enabled_at, operator }: Account,
  memberships: readonly Membership[],
) => ({
  user: { id: encodeId('usr', id), email, mfaEnabled: mfa_enabled_at !== null, operator },
  merchants: memberships.map(merchantRecord),
})
