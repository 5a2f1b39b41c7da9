import { randomUUID } from 'node:crypto'
import { makeApiKey } from '../../src/access/api-key.ts'
import type { Sql } from '../../src/postgres/connect.ts'

export const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)

export type KeyColumns = {
  readonly merchantId?: string
  readonly livemode?: boolean
  readonly scopes?: readonly string[]
  /** From now, in database time. */
  readonly expiresInMs?: number
}

/** A merchant without members. */
export const insertMerchant = async (sql: Sql): Promise<string> => {
  const id = randomUUID()
  await sql`insert into merchants (id, name) values (${id}, 'A shop')`
  return id
}

/** A key as the routes would create it. */
export const insertKey = async (
  sql: Sql,
  { merchantId, livemode = false, scopes = ['*'], expiresInMs }: KeyColumns = {},
) => {
  const id = randomUUID()
  const { secret, tag, last4, hash } = makeApiKey(livemode, random)
  await sql`
    insert into api_keys (id, merchant_id, livemode, name, scopes, api_version, tag, last4, hash, expires_at)
    values (${id}, ${merchantId ?? (await insertMerchant(sql))}, ${livemode}, 'A key', ${scopes}, '2026-11-20',
      ${tag}, ${last4}, ${hash}, now() + ${expiresInMs ?? null} * interval '1 millisecond')`
  return { id, secret }
}
