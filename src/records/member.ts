import { constantField, idField, rowFields } from '../fields/every-record.ts'
import { recordOf } from '../fields/record.ts'
import { flag, text } from '../fields/wire.ts'
import type { MemberRow } from '../queries/members.ts'
import { role } from './role.ts'

/** An account with access to a merchant, in both modes. The ID is that of the account. */
export const memberRecord = recordOf<MemberRow>()('Member', {
  object: constantField('member'),
  id: idField('member', row => row.account_id),
  merchantId: rowFields.merchantId,
  email: { type: text, example: 'anna@lamps.shop', of: row => row.email },
  role: { type: role, example: 'owner', of: row => row.role },
  mfaEnabled: { type: flag, example: true, of: row => row.mfa_enabled },
  createdAt: rowFields.createdAt,
  updatedAt: rowFields.updatedAt,
})
