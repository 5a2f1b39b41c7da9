import { type } from 'arktype'
import { constantField, idField, rowFields } from '../fields/every-record.ts'
import { recordOf } from '../fields/record.ts'
import { text, timeOrNull } from '../fields/wire.ts'
import type { ApiKeyRow } from '../queries/api-keys.ts'
import { scopes } from '../resources.ts'

export const apiKeyRecord = recordOf<ApiKeyRow>()('ApiKey', {
  object: constantField('api_key'),
  id: idField('api_key', row => row.id),
  merchantId: rowFields.merchantId,
  name: { type: text, about: 'Your own name for the key.', example: 'The shop', of: row => row.name },
  scopes: {
    type: () => type.enumerated('*', ...scopes).array(),
    about: 'Permissions of the key. `*` is all permissions.',
    example: ['payments:read', 'payment_links:write'],
    of: row => [...row.scopes],
  },
  tag: {
    type: text,
    about: 'The six characters of the secret after `sk_test_` or `sk_live_`. They identify the key and can be shown.',
    example: 'k7f3',
    of: row => row.tag,
  },
  last4: { type: text, about: 'Last four characters of the secret.', example: 'x9q2', of: row => row.last4 },
  livemode: rowFields.livemode,
  lastUsedAt: {
    type: timeOrNull,
    about: 'Time of the last request with the key, updated about every 10 seconds. Null if it was never used.',
    example: null,
    of: row => row.last_used_at?.toISOString() ?? null,
  },
  expiresAt: {
    type: timeOrNull,
    about: 'Time at which the key expires. Null if it does not expire.',
    example: null,
    of: row => row.expires_at?.toISOString() ?? null,
  },
  revokedAt: {
    type: timeOrNull,
    about: 'Time at which the key was revoked. Null if it was not.',
    example: null,
    of: row => row.revoked_at?.toISOString() ?? null,
  },
  createdAt: rowFields.createdAt,
  updatedAt: rowFields.updatedAt,
})

/** In the response to a creation or rotation, which is the only one with the secret. */
export const newApiKeyRecord = recordOf<ApiKeyRow, { readonly secret: string }>()('ApiKeyWithSecret', {
  ...apiKeyRecord.fields,
  secret: {
    type: text,
    about: 'The secret key. It is shown only in this response.',
    example: 'sk_test_…',
    of: (_, { secret }) => secret,
  },
})
