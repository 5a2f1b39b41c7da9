import type { Scope } from '../http/route.ts'
import type { Sql } from '../postgres/connect.ts'

export type ApiKeyRow = {
  readonly id: string
  readonly merchant_id: string
  readonly livemode: boolean
  readonly name: string
  readonly scopes: readonly (Scope | '*')[]
  readonly tag: string
  readonly last4: string
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly last_used_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** Who asks for a change and from where. No account is an operator. */
export type Asker = { readonly accountId: string | null; readonly actor: string; readonly address: string | null }

/** What is kept of a secret. */
export type KeyText = { readonly tag: string; readonly last4: string; readonly hash: Uint8Array }

export type NewApiKey = KeyText &
  Pick<ApiKeyRow, 'id' | 'livemode' | 'name' | 'scopes'> & {
    readonly merchantId: string
    readonly expiresAt: Date | null
  }

export const createApiKey = async (sql: Sql, key: NewApiKey, by: Asker, details: object) => {
  const [answer] = await sql<{ outcome: 'created' | 'not_allowed' | 'missing' }[]>`
    select create_api_key(
      ${key.id}, ${key.merchantId}, ${key.livemode}, ${key.name}, ${key.scopes}::text[], ${key.expiresAt},
      ${key.tag}, ${key.last4}, ${key.hash},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json) as outcome`
  return answer?.outcome
}

export type KeyName = { readonly id: string; readonly merchantId: string }

export const rotateApiKey = async (
  sql: Sql,
  { id, merchantId, tag, last4, hash, overlapHours }: KeyName & KeyText & { readonly overlapHours: number },
  by: Asker,
  details: object,
) => {
  const [answer] = await sql<{ outcome: 'rotated' | 'not_allowed' | 'missing' | 'ended' }[]>`
    select rotate_api_key(
      ${id}, ${merchantId}, ${overlapHours} * interval '1 hour', ${tag}, ${last4}, ${hash},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json) as outcome`
  return answer?.outcome
}

export const revokeApiKey = async (sql: Sql, { id, merchantId }: KeyName, by: Asker, details: object) => {
  const [answer] = await sql<{ outcome: 'revoked' | 'not_allowed' | 'missing' }[]>`
    select revoke_api_key(
      ${id}, ${merchantId}, ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json) as outcome`
  return answer?.outcome
}

export const findApiKey = async (sql: Sql, { id, merchantId }: KeyName): Promise<ApiKeyRow | undefined> => {
  const [row] = await sql<ApiKeyRow[]>`select * from api_keys where id = ${id} and merchant_id = ${merchantId}`
  return row
}
