import { makeApiKey } from '../access/api-key.ts'
import type { KeyCache } from '../access/key-cache.ts'
import type { Dependencies } from '../dependencies.ts'
import { refuse } from '../errors.ts'
import { encodeId, uuidv7 } from '../ids.ts'
import type { ApiKeyRow, KeyManager, KeyName } from '../queries/api-keys.ts'
import * as apiKeys from '../queries/api-keys.ts'
import type { Scope } from '../resources.ts'

/** The presets of scopes. Callers can also list scopes. */
export const presets = {
  full: ['*'],
  store_plugin: ['payments:read', 'payment_links:write'],
  read_only: ['payments:read'],
} as const satisfies Record<string, readonly (Scope | '*')[]>

type Given = Pick<Dependencies, 'sql' | 'clock' | 'random'>
type KeyWithSecret = { readonly row: ApiKeyRow; readonly secret: string }

export type ApiKeySpec = Pick<ApiKeyRow, 'livemode' | 'name' | 'scopes'> & {
  readonly merchantId: string
  readonly expiresAt: Date | null
}

export const createApiKey = async (
  { sql, clock, random }: Given,
  spec: ApiKeySpec,
  by: KeyManager,
): Promise<KeyWithSecret> => {
  const id = uuidv7(clock.now(), random)
  const { secret, ...kept } = makeApiKey(spec.livemode, random)
  const { livemode, name, scopes } = spec
  const details = { keyId: encodeId('key', id), tag: kept.tag, livemode, name, scopes }
  const outcome = await apiKeys.insertApiKey(sql, { id, ...kept, ...spec }, by, details)
  if (outcome === 'not_allowed') refuse('insufficient_role')
  return { row: await getRow(sql, { id, merchantId: spec.merchantId }), secret }
}

/** Creates a new secret for the key. The old one works until the overlap ends, or stops working immediately. */
export const rotateApiKey = async (
  { sql, random, keys }: Given & { readonly keys: KeyCache },
  { overlapHours, ...key }: KeyName & { readonly overlapHours: number },
  by: KeyManager,
): Promise<KeyWithSecret> => {
  const { livemode } = await getRow(sql, key)
  const { secret, ...kept } = makeApiKey(livemode, random)
  const details = { keyId: encodeId('key', key.id), tag: kept.tag, overlapHours }
  // The cache is cleared even if the response is lost: the change may have been committed.
  const outcome = await apiKeys
    .setApiKeySecret(sql, { ...key, ...kept, overlapHours }, by, details)
    .finally(() => keys.forget())
  if (outcome === 'not_allowed') refuse('insufficient_role')
  if (outcome === 'overlapping')
    refuse('state_conflict', {
      message: 'The previous secret is still valid. Wait until it ends, or rotate with overlapHours 0.',
    })
  if (outcome === 'ended') refuse('state_conflict', { message: 'The key was revoked or has expired.' })
  return { row: await getRow(sql, key), secret }
}

/** Revokes the key permanently: immediately in this process, within a second in all others. */
export const revokeApiKey = async (
  { sql, keys }: Pick<Given, 'sql'> & { readonly keys: KeyCache },
  key: KeyName,
  by: KeyManager,
): Promise<ApiKeyRow> => {
  const details = { keyId: encodeId('key', key.id) }
  const outcome = await apiKeys.setApiKeyRevoked(sql, key, by, details).finally(() => keys.forget())
  if (outcome === 'not_allowed') refuse('insufficient_role')
  return getRow(sql, key)
}

const getRow = async (sql: Dependencies['sql'], key: KeyName): Promise<ApiKeyRow> =>
  (await apiKeys.findApiKey(sql, key)) ?? refuse('resource_not_found')
