import type { Sql } from '../../src/postgres/connect.ts'

/** Endpoints as the service stores them, without an author and with an unusable secret. */
export const create = async (
  sql: Sql,
  merchantId: string,
  eventTypes: readonly string[],
  { livemode = false, id = crypto.randomUUID() }: { readonly livemode?: boolean; readonly id?: string } = {},
): Promise<string> => {
  const [answer] = await sql`
    select create_webhook_endpoint(${id}, ${merchantId}, ${livemode}, 'https://192.0.9.1/', null,
      ${eventTypes}::text[], 'v1.sealed', 100000, null, 'operator', null, '{}') as outcome`
  if (answer?.outcome !== 'created') throw new Error(`no endpoint was created: ${answer?.outcome}`)
  return id
}

export const change = async (sql: Sql, id: string, changes: object): Promise<string> => {
  const [answer] = await sql<{ outcome: string }[]>`
    select change_webhook_endpoint(id, merchant_id, ${JSON.stringify(changes)}::text::jsonb, null, 'operator', null, '{}')
      as outcome
    from webhook_endpoints where id = ${id}`
  return answer?.outcome ?? 'missing'
}

export const remove = async (sql: Sql, id: string): Promise<void> => {
  await sql`
    select delete_webhook_endpoint(id, merchant_id, null, 'operator', null, '{}') from webhook_endpoints where id = ${id}`
}

/** Numbers from 0 to 1. The seed is printed, so that a failure can be repeated. */
export const seeded = (seed = String(Date.now())): (() => number) => {
  console.log(`seed ${seed}`)
  let state = Number(seed) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
