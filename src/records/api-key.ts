import { encodeId } from '../ids.ts'
import type { ApiKeyRow } from '../queries/api-keys.ts'

/** `secret`: only in the response to the request that created it. */
export const apiKeyRecord = (row: ApiKeyRow, secret?: string) => ({
  object: 'api_key',
  id: encodeId('key', row.id),
  merchantId: encodeId('mer', row.merchant_id),
  name: row.name,
  scopes: row.scopes,
  tag: row.tag,
  last4: row.last4,
  ...(secret !== undefined && { secret }),
  livemode: row.livemode,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  expiresAt: row.expires_at?.toISOString() ?? null,
  revokedAt: row.revoked_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
