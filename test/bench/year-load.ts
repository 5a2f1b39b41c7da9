import type { Hex } from 'viem'
import { rebuildMachineSums } from '../../src/actors/machine-sums.ts'
import { forwarderOf, saltOf } from '../../src/chain/forwarder.ts'
import { encodeId } from '../../src/ids.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { RECOVERY_PURPOSE } from '../../src/sealed-columns.ts'
import { thousands } from './promises.ts'
import { SECRET_KEY } from './webhooks-instance.ts'
import { planYear, type YearPlan } from './year-plan.ts'
import { type CopiedExample, type CopiedRow, type CopiedRows, copyExamples } from './year-rows.ts'
import { setCursor } from './year-service.ts'
import { type ExampleShop, exampleNames } from './year-shop.ts'

const BATCH = 20_000
/** Payments whose rows have one transaction id, as if a batch of commands had made them. */
const IN_COMMIT = 20
/** The chain was read up to here. All copies of transfers are in blocks before. */
export const LAST_BLOCK = 1_100
/** Of so many of the latest payments the money was not collected yet. */
const UNCOLLECTED = 500

/** Rows of the copies of an example payment, in the order of their inserts. */
type Filling = {
  readonly sql: Sql
  readonly plan: YearPlan
  readonly copied: readonly CopiedExample[]
  readonly print: (line: string) => void
}

/**
 * Fills a copy of the database with the examples: this many payments of two years, copied from the examples by `insert …
 * select` without triggers and indexes. In the end the tables have the indexes and triggers that they had before.
 */
export const loadYear = async (
  url: string,
  {
    shop,
    payments,
    print,
  }: { readonly shop: ExampleShop; readonly payments: number; readonly print: (line: string) => void },
): Promise<void> => {
  const sql = connect(url, { max: 2 })
  try {
    const copied = await copyExamples(sql, shop)
    const tables = [
      ...new Set([...copied.flatMap(example => example.tables.map(({ table }) => table)), 'payment_links']),
    ]
    await empty(sql, tables)
    const secrets = await secretsOf(sql, shop)
    const plan = planYear({ payments, shop, copied, secrets, uncollected: UNCOLLECTED })
    await sql.unsafe(helpers)
    const later = await dropIndexes(sql, tables)
    for (const table of tables) await sql.unsafe(`alter table "${table}" disable trigger all`)
    await advanceXid(sql, payments / IN_COMMIT)
    await fill({ sql, plan, copied, print })
    for (const table of tables) await sql.unsafe(`alter table "${table}" enable trigger all`)
    await sql.unsafe('drop schema year cascade')
    await makeAgain(sql, later, print)
    await finish(sql, plan, shop)
    await sql`analyze`
    await makeSums(sql, print)
    await sql`vacuum (analyze)`
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** The rows of the examples are removed: their copies have their times and places. */
const empty = async (sql: Sql, tables: readonly string[]): Promise<void> => {
  const others = ['machine_states', 'machine_flows', 'machine_stays', 'payment_sums', 'customer_totals', 'chain_blocks']
  const all = [
    ...tables,
    ...others,
    'chain_cursors',
    'chain_nodes',
    'workers',
    'sessions',
    'attempts',
    'audits',
    'eras',
  ]
  await sql.unsafe(`truncate ${all.map(name => `"${name}"`).join(', ')} restart identity`)
  await sql`update feed_cursors set era = 0, xid = '0', seq = 0`
  await sql`select check_era()`
  const [snapshot] = await sql<{ text: string }[]>`select pg_current_snapshot()::text as text`
  await sql`update webhook_subscriptions set opened_era = 1, opened_snapshot = ${snapshot?.text ?? ''}::text::pg_snapshot,
    opened_at = now() - interval '3 years'`
}

const secretsOf = async (sql: Sql, { merchants }: ExampleShop) => {
  const keyring = openKeyring(SECRET_KEY)
  const [sealed] = await sql<{ sealed: string }[]>`
    select sealed_secret as sealed from recovery_secrets where id = ${merchants[0] ?? ''}`
  const secret = keyring.open(RECOVERY_PURPOSE, merchants[0] ?? '', sealed?.sealed ?? '')
  const others = merchants.slice(1).map(id => ({ id, sealed: keyring.seal(RECOVERY_PURPOSE, id, secret) }))
  for (const { id, sealed } of others)
    await sql`insert into recovery_secrets (id, sealed_secret, next_counter) values (${id}, ${sealed}, 0)`
  const rows = await sql<{ id: string; treasury: Hex; endpoint: string }[]>`
    select m.id, lower(r.address) as treasury, e.id as endpoint
    from merchants m join receiving_addresses r on r.merchant_id = m.id and not r.livemode
    join webhook_endpoints e on e.merchant_id = m.id`
  const bytes = new Uint8Array(Buffer.from(secret, 'hex'))
  return merchants.map(id => {
    const row = rows.find(each => each.id === id)
    if (!row) throw new Error(`merchant ${id} is missing`)
    const addressOf = forwarderOf(row.treasury)
    return {
      ...row,
      pub: encodeId('mer', id),
      depositAddress: (counter: number) => addressOf(saltOf(bytes, counter)),
    }
  })
}

/** In a schema of their own, which is dropped in the end. */
const helpers = `
  create schema year;
  create function year.id(ms bigint, k integer, n integer) returns uuid language sql immutable as $$
    select (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(k), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid $$;
  create function year.iso(at timestamptz) returns text language sql stable as $$
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
  create function year.hash(k integer, n integer) returns text language sql immutable as $$
    select '0x' || md5(k || ' ' || n) || md5(n || ' ' || k) $$;
  create function year.address(what text, n integer) returns text language sql immutable as $$
    select '0x' || substr(md5(what || n) || md5(n || what), 1, 40) $$;
  create unlogged table year.batch (
    n integer, example smallint, ms bigint, at timestamptz, id uuid, pub text, address text, counter bigint, block integer,
    customer integer, customer_id uuid, customer_pub text, email text, payer text, of_customer smallint,
    merchant_id uuid, merchant_pub text, treasury text, endpoint_id uuid,
    link_id uuid, link_pub text, link_at timestamptz, reference text, of_link smallint, of_late smallint,
    link_rev integer, link_opened integer, link_count integer, other_pub text, xid xid8);
  create unlogged table year.changes as select * from payment_sum_changes('{}', '{}');
  -- The function of the service, over changes that are known already: for each transition it reads the history.
  do $$ begin
    execute replace(replace(pg_get_functiondef('payment_sum_rows(uuid[], integer[])'::regprocedure),
      'public.payment_sum_rows', 'year.payment_sum_rows'), 'payment_sum_changes(actors, revs) c', 'year.changes c');
  end $$;`

const SUMS = `
  select add_payment_sum_rows(array(select r from year.payment_sum_rows('{}', '{}') r));
  truncate year.changes`

type Remade = { readonly table: string; readonly create: string }

/** Drops the indexes and unique constraints of tables; returns how they are made again. */
const dropIndexes = async (sql: Sql, tables: readonly string[]): Promise<readonly Remade[]> => {
  const found = await sql<{ table: string; name: string; drop: string; create: string }[]>`
    select t.relname as table, c.relname as name,
      case when k.oid is null then format('drop index %I', c.relname)
        else format('alter table %I drop constraint %I', t.relname, k.conname) end as drop,
      case when k.oid is null then pg_get_indexdef(i.indexrelid)
        else format('alter table %I add constraint %I %s', t.relname, k.conname, pg_get_constraintdef(k.oid)) end as create
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
    left join pg_constraint k on k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')
    where t.relnamespace = 'public'::regnamespace and t.relname = any(${[...tables]})
      and not exists (select from pg_constraint f where f.contype = 'f' and f.conindid = i.indexrelid)`
  for (const { drop } of found) await sql.unsafe(drop)
  return found.map(({ table, create }) => ({ table, create }))
}

const makeAgain = async (sql: Sql, all: readonly Remade[], print: (line: string) => void): Promise<void> => {
  // Primary keys first: two connections must not alter one table at the same time.
  const byTable = Map.groupBy(all, ({ table }) => table)
  const waiting = [...byTable].sort(([, one], [, two]) => two.length - one.length).values()
  const make = async () => {
    for (const [table, indexes] of waiting) {
      const began = performance.now()
      for (const { create } of indexes) await sql.unsafe(create)
      if (performance.now() - began > 5_000)
        print(`${indexes.length} indexes of ${table}, ${((performance.now() - began) / 1_000).toFixed(0)} s`)
    }
  }
  await Promise.all([make(), make()])
}

/** Each transaction uses one id. */
const advanceXid = async (sql: Sql, count: number): Promise<void> => {
  await sql.unsafe(`do $$ begin
    for n in 1..${Math.ceil(count) + 100} loop perform pg_current_xact_id(); commit; end loop; end $$`)
}

const fill = async ({ sql, plan, copied, print }: Filling): Promise<void> => {
  const [row] = await sql<{ xid: string }[]>`select pg_snapshot_xmin(pg_current_snapshot())::text as xid`
  const xid = Number(row?.xid) - Math.ceil(plan.payments / IN_COMMIT) - 10
  const statements = statementsOf(copied)
  const began = performance.now()
  let printedAt = began
  for (let first = 0; first < plan.payments; first += BATCH) {
    const columns = plan.rows(first, Math.min(plan.payments, first + BATCH))
    await sql.unsafe('truncate year.batch')
    await sql`
      insert into year.batch
      select n, example, ms, timestamptz 'epoch' + ms * interval '1 millisecond', g.id, g.pub, address, counter, block,
        customer, customer_id, customer_pub, email, year.address('payer', customer), of_customer,
        m.id, m.pub, m.treasury, m.endpoint, link_id, link_pub, timestamptz 'epoch' + link_ms * interval '1 millisecond',
        reference, of_link, of_late, link_rev, link_opened, link_count, other_pub,
        (${xid}::bigint + n / ${IN_COMMIT}::integer)::text::xid8
      from unnest(${columns.n}::integer[], ${columns.example}::smallint[], ${columns.ms}::bigint[], ${columns.id}::uuid[],
        ${columns.pub}::text[], ${columns.address}::text[], ${columns.counter}::bigint[], ${columns.block}::integer[],
        ${columns.customer}::integer[], ${columns.customer_id}::uuid[], ${columns.customer_pub}::text[],
        ${columns.email}::text[], ${columns.of_customer}::smallint[], ${columns.merchant}::smallint[],
        ${columns.link_id}::uuid[], ${columns.link_pub}::text[], ${columns.link_ms}::bigint[], ${columns.reference}::text[],
        ${columns.of_link}::smallint[], ${columns.of_late}::smallint[], ${columns.link_rev}::integer[],
        ${columns.link_opened}::integer[], ${columns.link_count}::integer[], ${columns.other_pub}::text[])
        as g (n, example, ms, id, pub, address, counter, block, customer, customer_id, customer_pub, email, of_customer,
          merchant, link_id, link_pub, link_ms, reference, of_link, of_late, link_rev, link_opened, link_count, other_pub)
      join unnest(${plan.merchants.map((_, at) => at)}::smallint[], ${plan.merchants.map(({ id }) => id)}::uuid[],
        ${plan.merchants.map(({ pub }) => pub)}::text[], ${plan.merchants.map(({ treasury }) => treasury)}::text[],
        ${plan.merchants.map(({ endpoint }) => endpoint)}::uuid[]) as m (merchant, id, pub, treasury, endpoint)
        using (merchant)`
    await sql.unsafe('analyze year.batch')
    const waiting = [...statements].values()
    const run = async () => {
      for (const statement of waiting) await sql.unsafe(statement).simple()
    }
    await Promise.all([run(), run()])
    if (performance.now() - printedAt < 15_000) continue
    printedAt = performance.now()
    print(
      `${thousands(first + BATCH)} of ${thousands(plan.payments)} payments, ${((printedAt - began) / 1_000).toFixed(0)} s`,
    )
  }
  print(`${thousands(plan.payments)} payments, ${((performance.now() - began) / 1_000).toFixed(0)} s; indexes`)
  await fillLinks(sql, plan, copied)
}

/** One insert for each table, with the rows of all examples in the order of the payments. The longest first. */
const statementsOf = (copied: readonly CopiedExample[]): readonly string[] => {
  const selects = Map.groupBy(
    copied.flatMap(({ name, tables, changes }) =>
      [...tables, changes].flatMap(({ table, columns, rows }) =>
        rows.map((row, rank) => ({
          table,
          columns,
          select: selectOf({ row, columns, rank, example: exampleNames.indexOf(name) }),
        })),
      ),
    ),
    ({ table }) => table,
  )
  return [...selects]
    .sort(([, one], [, two]) => two.length - one.length)
    .map(([table, all]) => {
      const insert = insertOf(table, all[0]?.columns ?? [], all.map(({ select }) => select).join(' union all '))
      return table === 'year.changes' ? `${insert}; ${SUMS}` : insert
    })
}

type Selecting = {
  readonly row: CopiedRow
  readonly columns: readonly string[]
  readonly rank: number
  readonly example: number
}

const selectOf = ({ row, columns, rank, example }: Selecting): string => {
  const values = row.values.map((value, at) => `${value} as "${columns[at]}"`)
  const only = {
    payment: '',
    customer: ' and p.of_customer = 1',
    link: ' and p.of_link = 1',
    late: ' and p.of_late = 1',
  }[row.of]
  return `select ${values.join(', ')}, p.n as year_n, ${rank} as year_rank from year.batch p where p.example = ${example}${only}`
}

/** With the digests of the copied rows. */
const digests: Readonly<Record<string, string>> = {
  transitions: `transition_digest(actor, rev, kind, command, event, from_state, to_state, cause, context, at, merchant_id,
    livemode, actor_created_at)`,
  events: 'event_digest(id, actor, rev, type, merchant_id, livemode, api_version, object, created_at)',
}

const insertOf = (table: string, columns: readonly string[], rows: string): string => {
  const names = columns.map(name => `"${name}"`).join(', ')
  const values = columns.map(name => (name === 'digest' ? (digests[table] ?? 'digest') : `r."${name}"`)).join(', ')
  return `insert into ${table} (${names}) select ${values} from (${rows} order by year_n, year_rank offset 0) r`
}

const fillLinks = async (sql: Sql, plan: YearPlan, copied: readonly CopiedExample[]): Promise<void> => {
  const [example] = copied
  if (!example) throw new Error('there are no examples')
  const { columns, rows } = example.link as CopiedRows
  const links = plan.links()
  const p = `(
    select g.*, timestamptz 'epoch' + g.ms * interval '1 millisecond' as link_at,
      timestamptz 'epoch' + g.used * interval '1 millisecond' as updated_at
    from unnest($1::integer[], $2::uuid[], $3::bigint[], $4::text[], $5::uuid[], $6::integer[], $7::integer[], $8::integer[], $9::bigint[])
      as g (n, link_id, ms, reference, merchant_id, rev, opened, count, used) order by n) p`
  await sql.unsafe(
    `insert into payment_links (${columns.map(name => `"${name}"`).join(', ')}) select ${rows[0]?.values.join(', ')} from ${p}`,
    [
      ...[links.n, links.id, links.ms, links.reference, links.merchant],
      ...[links.rev, links.opened, links.count, links.used],
    ] as never,
  )
}

const finish = async (sql: Sql, plan: YearPlan, { merchants }: ExampleShop): Promise<void> => {
  for (const [at, id] of merchants.entries())
    await sql`update recovery_secrets set next_counter = ${plan.counters()[at] ?? 0} where id = ${id}`
  await setCursor(sql, { number: LAST_BLOCK, hash: `0x${'8'.repeat(64)}`, minedAt: new Date() })
}

/** The sums of machines, and the totals of customers. The feed was read to its end. */
const makeSums = async (sql: Sql, print: (line: string) => void): Promise<void> => {
  const began = performance.now()
  await Promise.all([
    rebuildMachineSums(sql, kinds),
    sql`
      select add_to_customer_totals(array_agg(actor), array_agg(rev)) from (
        select actor, rev, row_number() over (order by actor) / 50000 as part from transitions
        where from_state <> to_state and (kind, to_state) in (('payment', 'success'), ('refund', 'processed'))) t
      group by part`,
  ])
  await sql`
    update feed_cursors r set era = m.era, xid = m.xid, seq = m.seq from feed_cursors m
    where r.reader = 'payments' and m.reader = 'machines'`
  print(`sums, ${((performance.now() - began) / 1_000).toFixed(0)} s`)
}
