import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { listDisputes } from '../../src/queries/disputes.ts'
import { listEvents } from '../../src/queries/events.ts'
import { noFilter } from '../../src/queries/list-filters.ts'
import { listRefunds } from '../../src/queries/refunds.ts'
import { database } from '../harness/database.ts'

const MANY = 20_000

const fill = async (sql: Sql, merchantId: string) => {
  await sql`
    insert into refunds (id, state, rev, version, created_at, updated_at, merchant_id, livemode, api_version,
      payment_id, amount_minor, currency, metadata, chain_id, asset, amount, confirmations, attention)
    select gen_random_uuid(), 'canceled', 1, 1, now(), now(), ${merchantId}, false, 'x',
      gen_random_uuid(), 1, 'USD', '{}', 1, 'X', 1, 0, false from generate_series(1, ${MANY})`
  await sql`
    insert into disputes (id, state, rev, version, created_at, updated_at, merchant_id, livemode, api_version,
      payment_id, amount_minor, currency, reason, evidence_due_by)
    select gen_random_uuid(), 'lost', 1, 1, now(), now(), ${merchantId}, false, 'x',
      gen_random_uuid(), 1, 'USD', 'general', now() + interval '1 day' from generate_series(1, ${MANY})`
  await sql`analyze refunds, disputes`
}

const fillEvents = async (sql: Sql, merchantId: string) => {
  await sql`
    insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era)
    select gen_random_uuid(), 'payment', gen_random_uuid(), 1, t.type, m.id::uuid, t.livemode, 'x', '{}', now(), current_era()
    from generate_series(1, ${MANY}) n
    cross join (values ('payment.created', false), ('payment.succeeded', false), ('payment.succeeded', true)) t(type, livemode)
    cross join (values (${merchantId}), (${randomUUID()})) m(id)
    where t.type = 'payment.created' or n <= 30`
}

/** The number of rows and index entries that the database reads. */
const readBy = async (sql: Sql, ask: () => Promise<unknown>): Promise<number> => {
  const look = async () => {
    await sql`select pg_stat_force_next_flush()`
    const [row] = await sql<{ count: number }[]>`
      select sum(seq_tup_read + idx_tup_fetch)::int as count
      from pg_stat_user_tables where relname in ('refunds', 'disputes', 'events')`
    return row?.count ?? 0
  }
  const before = await look()
  await ask()
  return (await look()) - before
}

test('a list filtered to few or none of twenty thousand rows reads no more than a page', async () => {
  await using db = await database()
  // Each connection has its own statistics of reads.
  await using pool = new AsyncDisposableStack()
  const sql = pool.adopt(connect(db.url, { max: 1 }), each => each.end({ timeout: 1 }))
  const merchantId = randomUUID()
  await fill(sql, merchantId)
  const whose = { merchantId, livemode: false }
  const [one] = await sql<{ paymentId: string }[]>`select payment_id as "paymentId" from refunds limit 1`
  for (const list of [listRefunds, listDisputes])
    for (const order of ['asc', 'desc'] as const)
      for (const filter of [
        { paymentId: one?.paymentId },
        { paymentId: randomUUID() },
        { statuses: ['processing'] },
        { statuses: ['under_review', 'needs_response', 'failed'] },
        {},
        { search: 'nothing' },
        { attention: { chainsOn: [1] } },
      ]) {
        const page = { after: undefined, limit: 20, order }
        const whole = { ...noFilter, paymentId: undefined, attention: undefined, ...filter }
        // As often as a prepared statement is planned for its parameters, and then once for any.
        for (let n = 0; n < 7; n++) await list(sql, whose, whole, page)
        expect(await readBy(sql, () => list(sql, whose, whole, page))).toBeLessThan(200)
      }
})

test('events of one type are found without reading the others, also without statistics', async () => {
  await using db = await database()
  await using pool = new AsyncDisposableStack()
  const sql = pool.adopt(connect(db.url, { max: 1 }), each => each.end({ timeout: 1 }))
  const merchantId = randomUUID()
  await fillEvents(sql, merchantId)
  const types = async (livemode: boolean, type: string, order: 'asc' | 'desc' = 'desc') =>
    (
      await listEvents(
        sql,
        { merchantId, livemode },
        { type, objectId: undefined },
        { after: undefined, limit: 40, order },
      )
    ).map(row => row.type)
  for (const known of [false, true]) {
    if (known) await sql`analyze events`
    for (const order of ['asc', 'desc'] as const)
      for (const [livemode, type, count] of [
        [false, 'payment.created', 41],
        [false, 'payment.succeeded', 30],
        [true, 'payment.succeeded', 30],
        [true, 'payment.created', 0],
        [false, 'dispute.opened', 0],
      ] as const) {
        for (let n = 0; n < 7; n++)
          expect(await types(livemode, type, order)).toEqual(Array.from({ length: count }, () => type))
        expect(await readBy(sql, () => types(livemode, type, order))).toBeLessThan(200)
      }
  }
})

test('two lists of events that share a key are separate', async () => {
  await using db = await database()
  const { sql } = db
  const merchantId = randomUUID()
  await fillEvents(sql, merchantId)
  await sql.unsafe(`
    create or replace function list_key(merchant uuid, mode boolean, common text) returns bigint language sql immutable
    return 7::bigint;
    reindex index events_by_type`)
  const page = { after: undefined, limit: 100, order: 'asc' } as const
  const found = await listEvents(
    sql,
    { merchantId, livemode: true },
    { type: 'payment.succeeded', objectId: undefined },
    page,
  )
  expect(found.map(({ type, livemode }) => [type, livemode])).toEqual(
    Array.from({ length: 30 }, () => ['payment.succeeded', true]),
  )
})
