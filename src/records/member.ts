import { encodeId } from '../ids.ts'
import type { MemberRow } from '../queries/members.ts'

/** An account with access to a merchant, in both modes. The ID is that of the account. */
export const memberRecord = (row: MemberRow) => ({
  object: 'member',
  id: encodeId('usr', row.account_id),
  merchantId: encodeId('mer', row.merchant_id),
  email: row.email,
  role: row.role,
  mfaEnabled: row.mfa_enabled,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
