import { encodeId } from '../ids.ts'
import type { InviteRow } from '../queries/invites.ts'

/** An open invite. Its link is shown only in the response to its creation. */
export const inviteRecord = (row: InviteRow) => ({
  object: 'invite',
  id: encodeId('invite', row.id),
  merchantId: encodeId('mer', row.merchant_id),
  role: row.role,
  email: row.email,
  status: row.expired ? 'expired' : 'pending',
  createdBy: encodeId('usr', row.created_by),
  expiresAt: row.expires_at.toISOString(),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
