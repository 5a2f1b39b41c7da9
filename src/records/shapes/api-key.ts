import { type } from 'arktype'
import { example, exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { idOf, time, timeOrNull } from '../../fields/wire.ts'
import { lazy } from '../../lazy.ts'
import { scopes } from '../../resources.ts'

const apiKeyType = lazy(() =>
  type({
    object: "'api_key'",
    id: idOf('key'),
    merchantId: idOf('mer'),
    name: 'string',
    scopes: type.enumerated('*', ...scopes).array(),
    tag: 'string',
    last4: 'string',
    livemode: 'boolean',
    lastUsedAt: timeOrNull(),
    expiresAt: timeOrNull(),
    revokedAt: timeOrNull(),
    createdAt: time(),
    updatedAt: time(),
  }),
)

const apiKey = {
  object: 'api_key',
  id: exampleId('api_key'),
  merchantId: exampleId('merchant'),
  name: 'The shop',
  scopes: ['payments:read', 'payment_links:write'],
  tag: 'k7f3',
  last4: 'x9q2',
  livemode: false,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  createdAt: example.at,
  updatedAt: example.at,
}

export const apiKeyShape = shape({ name: 'ApiKey', type: apiKeyType, example: apiKey })

/** In the response to a creation or rotation, which is the only one with the secret. */
export const newApiKeyShape = shape({
  name: 'ApiKeyWithSecret',
  type: () => apiKeyType().merge({ secret: 'string' }),
  example: { ...apiKey, secret: 'sk_test_…' },
})
