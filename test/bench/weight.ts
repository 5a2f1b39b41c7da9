import type { Sql } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { startLoad } from './payments-load.ts'
import { openService } from './payments-service.ts'
import type { BenchServer } from './server.ts'
import { type Log, logPosition, readLog } from './wal.ts'

/** The bytes of a table or an index, per payment. */
export type Size = { readonly table: string; readonly index: string | null; readonly bytes: number }

export type Weight = { readonly paid: number; readonly sizes: readonly Size[]; readonly log: Log }

/**
 * What paid payments with one webhook each add to the tables and indexes, per payment, and what they write to the log, in all.
 * The tables are written anew before they are measured, so that a figure has no dead rows and no room for later rows, other than
 * what their fillfactor leaves.
 */
export const weigh = async (server: BenchServer, payments: number): Promise<Weight> => {
  const inFlight = Math.min(payments, 500)
  await using service = await openService(server, { merchants: 20, links: inFlight })
  const { sql } = service
  await sql`create extension if not exists pg_walinspect`
  const pay = async () => {
    const paid = await (await startLoad(service, { inFlight, blockMs: 50, most: payments })).finish()
    await until(() => isIdle(sql), { what: 'a service without work' })
    return paid
  }
  await pay()
  const before = new Map((await sizesOf(sql)).map(size => [nameOf(size), size.bytes]))
  await sql`checkpoint`
  const from = await logPosition(sql)
  const paid = await pay()
  const log = await readLog(sql, from, await logPosition(sql))
  const sizes = (await sizesOf(sql))
    .map(size => ({ ...size, bytes: (size.bytes - (before.get(nameOf(size)) ?? 0)) / paid }))
    .filter(({ bytes }) => bytes >= 1)
  return { paid, sizes, log }
}

const nameOf = ({ table, index }: Pick<Size, 'table' | 'index'>) => `${table} ${index}`

/** Whether all readers have come to the end of the feed too. */
const isIdle = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ idle: boolean }[]>`
    select not exists (select from delivery_claims) and not exists (select from unsettled_payments)
      and not exists (
        select from feed_cursors c join transitions t on (t.era, t.xid, t.seq) > (c.era, c.xid, c.seq)) as idle`
  return row?.idle === true
}

const sizesOf = async (sql: Sql): Promise<readonly Size[]> => {
  await sql`vacuum full`
  return sql<Size[]>`
    select t.relname as table, null as index, (pg_table_size(t.oid))::float8 as bytes from pg_class t
    where t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace
    union all
    select t.relname, i.relname, pg_relation_size(i.oid)::float8
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    where t.relnamespace = current_schema()::regnamespace
    order by 1, 2 nulls first`
}
