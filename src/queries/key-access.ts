import type { Sql } from '../postgres/connect.ts'
import type { Scope } from '../resources.ts'

export type KeyAccess = {
  readonly id: string
  readonly merchant_id: string
  readonly livemode: boolean
  readonly scopes: readonly (Scope | '*')[]
  readonly api_version: string
  /** Null if the secret does not expire. */
  readonly ms_left: number | null
}

/** The API key with this secret, if it is valid now. */
export const findKeyAccess = async (sql: Sql, hash: Uint8Array): Promise<KeyAccess | undefined> => {
  const [access] = await sql<KeyAccess[]>`
    select id, merchant_id, livemode, scopes, api_version,
      extract(epoch from least(expires_at, case when previous_hash = ${hash} then previous_until end) - now())::float8 * 1000
        as ms_left
    from api_keys
    where (hash = ${hash} or previous_hash = ${hash} and previous_until > now())
      and revoked_at is null and (expires_at is null or expires_at > now())`
  return access
}

/** `msAgo` has the last use of each id. */
export const recordKeyUses = async (sql: Sql, ids: readonly string[], msAgo: readonly number[]): Promise<void> => {
  // Processes write the same keys, so rows are locked in one order to prevent deadlocks.
  await sql`
    with uses as (select * from unnest(${ids}::uuid[], ${msAgo}::float8[]) as uses (id, ms_ago)),
      locked as (
        select k.id, now() - ms_ago * interval '1 millisecond' as used_at
        from api_keys k join uses on uses.id = k.id
        order by k.id for no key update of k
      )
    update api_keys k set last_used_at = greatest(last_used_at, used_at) from locked where k.id = locked.id`
}
