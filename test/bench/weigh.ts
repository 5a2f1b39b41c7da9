import type { Sql } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { startLoad } from './payments-load.ts'
import { openService } from './payments-service.ts'
import { thousands } from './promises.ts'
import { openServer } from './server.ts'

/**
 * What a paid payment with one webhook weighs: the bytes of every table and index, per payment. `bun test/bench/weigh.ts
 * [payments]`. The tables are written anew first, so that a figure is neither room for later rows nor dead rows.
 */
const payments = Number(process.argv[2] ?? 2_000)
const inFlight = Math.min(payments, 500)

type Size = { readonly table: string; readonly index: string | null; readonly bytes: number }

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

await using server = await openServer({ used: false })
await using service = await openService(server, { merchants: 20, links: inFlight })
const { sql } = service
const before = new Map((await sizesOf(sql)).map(size => [`${size.table} ${size.index}`, size.bytes]))
const load = await startLoad(service, { inFlight, blockMs: 50, most: payments })
const paid = await load.finish()
await until(async () => (await sql`select from delivery_claims`).length === 0)
await sql`select count_transitions(1000000)`
await sql`select add_payment_sums(1000000)`

const rows = (await sizesOf(sql))
  .map(size => ({ ...size, each: (size.bytes - (before.get(`${size.table} ${size.index}`) ?? 0)) / paid }))
  .filter(({ each }) => each >= 1)
console.log(`bytes per payment, of ${paid} payments`)
for (const { table, index, each } of rows) console.log(`${index === null ? table : `  ${index}`}: ${thousands(each)}`)
const sum = (some: typeof rows) => thousands(some.reduce((total, { each }) => total + each, 0))
console.log(
  `tables ${sum(rows.filter(({ index }) => index === null))}, indexes ${sum(rows.filter(({ index }) => index !== null))}, all ${sum(rows)}`,
)
