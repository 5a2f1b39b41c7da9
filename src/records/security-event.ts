import { encodeId } from '../ids.ts'
import type { SecurityEventRow } from '../queries/security-events.ts'

/** Who did what, from where and when. Written once; its id, as an event's, is a plain UUID. */
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
