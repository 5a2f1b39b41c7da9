import { expect } from 'bun:test'
import type { Shop } from './people.ts'
import type { Asked, TwoShops } from './two-shops.ts'

type Exported = { readonly id: string; readonly createdAt: string } & Readonly<Record<string, unknown>>

/** A range around everything that a test makes. */
export const wide = {
  from: new Date(Date.now() - 86_400_000).toISOString(),
  to: new Date(Date.now() + 86_400_000).toISOString(),
}

/** Exports of a merchant, by its owner by default. */
export const exportCalls = ({ lamps, ask }: Pick<TwoShops, 'lamps' | 'ask'>) => {
  const get = (file: string, query: Readonly<Record<string, string>> | string = {}, asked: Asked = {}) => {
    const whole = typeof query === 'string' ? query : String(new URLSearchParams({ ...wide, ...query }))
    return ask('GET', `/exports/${file}?${whole}`, { path: lamps.path, bearer: lamps.owner.bearer, ...asked })
  }
  const records = async (kind: string, query?: Readonly<Record<string, string>> | string, asked?: Asked) => {
    const answer = await get(`${kind}.ndjson`, query, asked)
    expect(answer.status).toBe(200)
    return answer.text
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as Exported)
  }
  /** Creates a download. */
  const post = (json: object, asked: Asked = {}, query = '', { path, owner }: Shop = lamps) =>
    ask('POST', `/exports${query}`, { path, bearer: owner.bearer, json, ...asked })
  return { get, records, post }
}

/** Inserts copies of a payment that differ in their ID and address, a second apart. Their metadata cannot be compressed much. */
export const copyPayments = async (
  { server }: Pick<TwoShops, 'server'>,
  actor: string,
  count: number,
  since = 'now()',
): Promise<void> => {
  await server.sql.unsafe(`
    insert into payments overriding user value
    select copy.* from generate_series(1, ${count}) n
    cross join lateral (select t from payments t where id = '${actor}') t(row)
    cross join lateral jsonb_populate_record((t).row, jsonb_build_object(
      'id', gen_random_uuid(), 'created_at', ${since} - n * interval '1 second',
      'metadata', jsonb_build_object('noise', (select string_agg(md5(n || ' ' || m || '${actor}'), '') from generate_series(1, 24) m)),
      'address', '0x' || encode(substr(sha256(('${actor}' || n)::bytea), 1, 20), 'hex'))) copy`)
}
