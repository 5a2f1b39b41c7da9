import { randomUUID } from 'node:crypto'
import { openKeyring } from '../../src/keyring.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { type BenchDatabase, type BenchServer, createMigrated } from './server.ts'
import { hostOf, objectOf, pathOf, SECRET } from './webhooks-request.ts'

export const SECRET_KEY = 'a secret key for benches and for nothing else'

/** One merchant each, so that an event goes to one endpoint. */
export type Shop = { readonly merchantId: string; readonly endpointId: string; readonly silent: boolean }

/** A database with endpoints. */
export type Instance = AsyncDisposable & {
  readonly url: string
  readonly sql: Sql
  readonly shops: readonly Shop[]
  /** Another database, copied from the current state. */
  copy(): Promise<Instance>
}

export type InstanceOptions = { readonly healthy: number; readonly silent?: number; readonly port: number }

export const openInstance = async (
  server: BenchServer,
  { healthy, silent = 0, port }: InstanceOptions,
): Promise<Instance> => {
  const db = await createMigrated(server)
  const instance = instanceOn(server, db, [
    ...Array.from({ length: healthy }, () => newShop(false)),
    ...Array.from({ length: silent }, () => newShop(true)),
  ])
  const { sql, shops } = instance
  const keyring = openKeyring(SECRET_KEY)
  const merchants = shops.map(({ merchantId }) => merchantId)
  await sql`insert into merchants (id, name) select id, 'A shop' from unnest(${merchants}::uuid[]) id`
  const counts = { healthy: 0, silent: 0 }
  const urls = shops.map(shop => {
    const n = shop.silent ? counts.silent++ : counts.healthy++
    return `https://${hostOf(n, shop.silent)}:${port}${pathOf(shop.silent)}`
  })
  await sql`
    insert into webhook_endpoints (
      id, merchant_id, livemode, url, event_types, state, sealed_secret, enabled_at, created_at, updated_at)
    select id, merchant, false, url, '{payment.created}', 'enabled', secret, now(), now(), now()
    from unnest(
      ${shops.map(({ endpointId }) => endpointId)}::uuid[], ${merchants}::uuid[], ${urls}::text[],
      ${shops.map(({ endpointId }) => keyring.seal('webhook secret', endpointId, SECRET))}::text[]
    ) as given(id, merchant, url, secret)`
  await sql`select renew_subscriptions(id) from webhook_endpoints`
  return instance
}

const newShop = (silent: boolean): Shop => ({ merchantId: randomUUID(), endpointId: randomUUID(), silent })

const instanceOn = (server: BenchServer, db: BenchDatabase, shops: readonly Shop[]): Instance => {
  let sql = connect(db.url, { max: 4 })
  return {
    url: db.url,
    get sql() {
      return sql
    },
    shops,
    copy: async () => {
      // Only a database without connections can be copied.
      await sql.end({ timeout: 5 })
      const copy = instanceOn(server, await server.create(db), shops)
      sql = connect(db.url, { max: 4 })
      return copy
    },
    [Symbol.asyncDispose]: async () => {
      await sql.end({ timeout: 1 })
      await db[Symbol.asyncDispose]()
    },
  }
}

/** One event of each of these shops, in one commit, as the actors would write them. Returns their ids. */
export const commitEvents = async (sql: Sql, shops: readonly Shop[]): Promise<readonly string[]> => {
  const ids = shops.map(() => randomUUID() as string)
  await sql`
    insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era)
    select id, 'payment', gen_random_uuid(), 1, 'payment.created', merchant, false, '2026-11-20', ${object}::text,
      date_trunc('milliseconds', clock_timestamp()), current_era()
    from unnest(${ids}::uuid[], ${shops.map(({ merchantId }) => merchantId)}::uuid[]) as given(id, merchant)`
  return ids
}

const object = objectOf()

/** This many events in total, of the shops in turn, in commits as large as the actors' largest. */
export const commitBacklog = async (sql: Sql, shops: readonly Shop[], count: number): Promise<void> => {
  const all = Array.from({ length: count }, (_, n) => shops[n % shops.length]).filter(shop => shop !== undefined)
  const commits: (readonly Shop[])[] = []
  for (let at = 0; at < all.length; at += 512) commits.push(all.slice(at, at + 512))
  await Promise.all(
    [0, 1].map(async () => {
      for (let next = commits.pop(); next; next = commits.pop()) await commitEvents(sql, next)
    }),
  )
}
