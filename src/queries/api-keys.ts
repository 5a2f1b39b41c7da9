import type { Sql } from '../postgres/connect.ts'
import type { Scope } from '../resources.ts'
import { type Page, pageBySeq } from './page.ts'
import type { AccountActor, Operator } from './security-events.ts'

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

/** Who changes an API key. */
export type KeyManager = AccountActor | Operator

/** What is stored of a secret. */
export type KeyText = { readonly tag: string; readonly last4: string; readonly hash: Uint8Array }

export type NewApiKey = KeyText &
  Pick<ApiKeyRow, 'id' | 'livemode' | 'name' | 'scopes'> & {
    readonly merchantId: string
    readonly expiresAt: Date | null
  }

export const insertApiKey = async (sql: Sql, key: NewApiKey, by: KeyManager, details: object) => {
  const [answer] = await sql<{ outcome: 'created' | 'not_allowed' | 'missing' }[]>`
    select create_api_key(
      ${key.id}, ${key.merchantId}, ${key.livemode}, ${key.name}, ${key.scopes}::text[], ${key.expiresAt},
      ${key.tag}, ${key.last4}, ${key.hash},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json) as outcome`
  return answer?.outcome
}

export type KeyName = { readonly id: string; readonly merchantId: string }

export const setApiKeySecret = async (
  sql: Sql,
  { id, merchantId, tag, last4, hash, overlapHours }: KeyName & KeyText & { readonly overlapHours: number },
  by: KeyManager,
  details: object,
) => {
  const [answer] = await sql<{ outcome: 'rotated' | 'not_allowed' | 'missing' | 'ended' | 'overlapping' }[]>`
    select rotate_api_key(
      ${id}, ${merchantId}, ${overlapHours} * interval '1 hour', ${tag}, ${last4}, ${hash},
      ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json) as outcome`
  return answer?.outcome
}

export const setApiKeyRevoked = async (sql: Sql, { id, merchantId }: KeyName, by: KeyManager, details: object) => {
  const [answer] = await sql<{ outcome: 'revoked' | 'not_allowed' | 'missing' }[]>`
    select revoke_api_key(
      ${id}, ${merchantId}, ${by.accountId}, ${by.actor}, ${by.address}, ${JSON.stringify(details)}::text::json) as outcome`
  return answer?.outcome
}

export const findApiKey = async (sql: Sql, { id, merchantId }: KeyName): Promise<ApiKeyRow | undefined> => {
  const [row] = await sql<
    ApiKeyRow[]
  >`select ${columns(sql)} from api_keys where id = ${id} and merchant_id = ${merchantId}`
  return row
}

export const listApiKeys = (
  sql: Sql,
  { merchantId, livemode }: { readonly merchantId: string; readonly livemode: boolean },
  page: Page,
): Promise<ApiKeyRow[]> => sql<ApiKeyRow[]>`
  select ${columns(sql)} from api_keys
  where merchant_id = ${merchantId} and livemode = ${livemode} and ${pageBySeq(sql, page)}`

export const findApiKeySeq = async (
  sql: Sql,
  { id, merchantId, livemode }: KeyName & { readonly livemode: boolean },
): Promise<string | undefined> => {
  const [row] = await sql<{ seq: string }[]>`
    select seq from api_keys where id = ${id} and merchant_id = ${merchantId} and livemode = ${livemode}`
  return row?.seq
}

/** Without the hashes, which are not needed to list keys. */
const columns = (sql: Sql) => sql`
  id, merchant_id, livemode, name, scopes, tag, last4, expires_at, revoked_at, last_used_at, created_at, updated_at`
