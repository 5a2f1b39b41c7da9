import { type } from 'arktype'
import type { Dependencies } from '../../src/dependencies.ts'
import { apiKeyRoutes } from '../../src/http/api-keys.ts'
import { forKeys } from '../../src/http/route.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import type { Person, Shop } from './people.ts'

/** Returns the caller, for every key with read access. */
const whoami = forKeys(
  'GET',
  { scope: 'payments:read' },
  { path: '/whoami', handle: (_, { key }) => ({ status: 200, body: key }) },
)

export const startServer = (outside: Partial<Dependencies> = {}) =>
  apiServer({ routes: [...apiKeyRoutes, whoami], env: { API_RATE_LIMIT_TEST: '0' }, outside })

const apiKey = type({
  '+': 'reject',
  object: "'api_key'",
  id: 'string',
  merchantId: 'string',
  name: 'string',
  scopes: 'string[]',
  tag: 'string',
  last4: 'string',
  'secret?': 'string',
  livemode: 'boolean',
  lastUsedAt: 'string | null',
  expiresAt: 'string | null',
  revokedAt: 'string | null',
  createdAt: 'string',
  updatedAt: 'string',
})

export const post = async (server: ApiServer, { path }: Shop, by: Person, json: unknown = {}, item = '') => {
  const answer = await server.call('POST', `${path}/api-keys${item}`, { bearer: by.bearer, json })
  return {
    status: answer.status,
    error: errorOf(answer.json),
    key: answer.status < 300 ? apiKey.assert(answer.json) : undefined,
  }
}

const errorOf = (json: unknown) => (json as { error?: { code: string; param?: string } }).error

export const make = async (server: ApiServer, at: Shop, json: object = {}) => {
  const { key } = await post(server, at, at.owner, { name: 'Shop', access: 'full', ...json })
  if (!key?.secret) throw new Error('the key was not created')
  return { ...key, secret: key.secret }
}

export const use = async (server: ApiServer, secret: string) =>
  (await server.call('GET', '/whoami', { bearer: secret })).status

export const list = async (server: ApiServer, { path, owner }: Shop, query = '') => {
  const answer = await server.call('GET', `${path}/api-keys${query}`, { bearer: owner.bearer })
  return answer.json as { data: (typeof apiKey.infer)[]; has_more: boolean; error?: { code: string } }
}

export const events = (server: ApiServer, { merchantId }: Shop) => server.sql<
  { action: string; actor: string; details: object }[]
>`
  select action, actor, details from security_events where merchant_id = ${merchantId} order by seq`
