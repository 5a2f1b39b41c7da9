import { encodeId } from '../ids.ts'
import type { SecurityEventRow } from '../queries/security-events.ts'

/** An entry of the audit log. It never changes; its ID is a plain UUID, as that of an event. */
export const securityEventRecord = (row: SecurityEventRow) => ({
  object: 'security_event',
  id: row.id,
  merchantId: encodeId('mer', row.merchant_id),
  actor: row.actor,
  email: row.email,
  address: row.address,
  action: row.action,
  details: row.details,
  createdAt: row.at.toISOString(),
  updatedAt: row.at.toISOString(),
})
