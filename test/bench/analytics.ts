import { openCalls } from '../../src/demo/call.ts'
import { kinds } from '../../src/kinds/all.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { paymentSumsReader } from '../../src/queries/payment-sums.ts'
import { newId, openInstance } from '../actors/lamps.ts'
import { type ExportSizes, promiseExport } from './analytics-export.ts'
import { promiseFreshFigures, promiseReaderCost, type ReaderSizes } from './analytics-reader.ts'
import { type Bench, printSizes } from './bench.ts'
import { milliseconds, percentile, perSecond, thousands } from './promises.ts'
import { createMigrated } from './server.ts'
import { carryOut, makeLinks, paymentSteps } from './streams-payments.ts'
import { openStreamShop } from './streams-shop.ts'

export type AnalyticsSizes = {
  /** Payments of two years whose sums are read, and how often each question is asked. */
  readonly payments: number
  readonly reads: number
  /** Payments of whose transitions the reader is behind. */
  readonly behind: number
  /** Payments whose size is measured. */
  readonly weighed: number
} & ExportSizes &
  ReaderSizes

const whole: AnalyticsSizes = {
  ...{ payments: 10_000_000, reads: 40, behind: 40_000, weighed: 100_000, exported: 1_000_000 },
  // The reader adds every half second: short slices would end before half of its work.
  ...{ perSecond: 1_000, forMs: 30_000, pairs: 12, sliceMs: 4_000, callers: 256 },
}
const quick: AnalyticsSizes = {
  ...{ payments: 200_000, reads: 5, behind: 2_000, weighed: 2_000, exported: 20_000 },
  ...{ perSecond: 1_000, forMs: 8_000, pairs: 4, sliceMs: 2_000, callers: 256 },
}

/** The figures of merchants: how fast they are answered, and how fast the reader of the feed is. */
export const analytics = (bench: Bench): Promise<void> => measureAnalytics(bench, bench.quick ? quick : whole)

export const measureAnalytics = async (bench: Bench, sizes: AnalyticsSizes): Promise<void> => {
  printSizes(bench, sizes)
  await promiseAnswers(bench, sizes)
  await promiseCatchUp(bench, sizes)
  await promiseFreshFigures(bench, sizes)
  await promiseReaderCost(bench, sizes)
  await promiseExport(bench, sizes)
}

const DAYS = 730
const ASSETS = ['8453:USDC', '8453:ETH', '1:USDC', '1:USDT', '42161:USDC', '137:USDC', '']
const LINKS = 200

export const questions = {
  'a year by day': 'bucket=day&from=-365',
  'a year by day and asset': 'bucket=day&breakdown=asset&from=-365',
  'a year by day and chain': 'bucket=day&breakdown=chain&from=-365',
  'a year by day and link': 'bucket=day&breakdown=link&from=-365',
  'two years by week': 'bucket=week&from=-730',
  'two years by month and asset': 'bucket=month&breakdown=asset&from=-730',
  'two weeks by hour': 'bucket=hour&from=-14',
  'two weeks by hour and link': 'bucket=hour&breakdown=link&from=-14',
  'a year by day in another time zone': 'bucket=day&from=-365&timeZone=Asia/Kolkata',
  '35 days by day and asset in another time zone': 'bucket=day&breakdown=asset&from=-34&timeZone=Asia/Kolkata',
} as const

/** Answers over the sums of many payments, and how much these weigh. */
const promiseAnswers = async (
  { server, print, report }: Bench,
  { payments, reads, weighed }: AnalyticsSizes,
): Promise<void> => {
  await using shop = await openStreamShop(server, { links: 1, rows: 1 })
  const { sql, merchantId, merchant } = shop
  const began = performance.now()
  await fillSums(sql, merchantId, payments)
  print(`sums of ${thousands(payments)} payments in ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  const [sums] = await sql<{ bytes: number; rows: number }[]>`
    select pg_total_relation_size('payment_sums')::float8 as bytes, (select count(*) from payment_sums)::float8 as rows`
  const each = await weightOfPayment(sql, weighed)
  const { bytes = 0, rows = 0 } = sums ?? {}
  report.atMost(
    `size of the sums against the table of ${thousands(payments)} payments`,
    bytes / (each * payments),
    0.25,
    {
      as: figure => `${(100 * figure).toFixed(1)} %`,
      from: `${thousands(rows)} rows with ${(bytes / 2 ** 20).toFixed(0)} MiB, ${each.toFixed(0)} bytes a payment`,
    },
  )
  const call = openCalls(shop.url, await shop.bearer())
  const dayAt = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const ask = async (what: string, path: string) => {
    const took: number[] = []
    for (let n = 0; n <= reads; n++) {
      const asked = performance.now()
      await call('GET', `/v1/merchants/${merchant}/analytics/${path}`)
      // The first has the plans to make.
      if (n > 0) took.push(performance.now() - asked)
    }
    report.atMost(`figures of ${thousands(payments)} payments, ${what}, p95`, percentile(took, 0.95), 100, {
      as: milliseconds,
      from: `p50 ${milliseconds(percentile(took, 0.5))}`,
    })
  }
  for (const [what, query] of Object.entries(questions))
    await ask(what, `series?${query.replace(/from=(-\d+)/, (_, days: string) => `from=${dayAt(Number(days) + 1)}`)}`)
  await ask('the summary of 30 days', 'summary')
  await ask('the summary of a year', `summary?from=${dayAt(-364)}`)
}

/** As the reader would have written them: each asset and link has payments in each quarter-hour of the last 400 days. */
export const fillSums = async (sql: Sql, merchantId: string, payments: number): Promise<void> => {
  const perDay = payments / DAYS
  const durations = (mean: number) => sql`
    (select array_agg(time_count(c::smallint, greatest(1, round(share * part * 2 * exp(-((c - ${mean}) / 6.0)^2)))::bigint) order by c)
     from generate_series(${mean}::integer - 8, ${mean}::integer + 8) c where share * part >= 8 or c % 4 = 0)`
  const rows = (span: 'quarter' | 'day', breakdown: 'all' | 'asset' | 'link', keys: readonly string[]) => sql`
    insert into payment_sums
    select ${merchantId}, false, ${span}, ${breakdown}, at, 'USD', key, n, n * 3 / 4, n, n * 4 / 5, n * 3 / 4, n / 50, n / 5,
      n / 40, n / 90, n * 4900, n / 60, n * 80,
      ${breakdown === 'link' ? sql`null` : durations(60)}, ${breakdown === 'link' ? sql`null` : durations(55)}
    from (
      select s.at, k.key, ${span === 'day' ? perDay : perDay / 96}::float8 / cardinality(${[...keys]}::text[]) as share,
        1.0 as part
      from generate_series(
        date_trunc('day', now() at time zone 'UTC') - ${span === 'day' ? `${DAYS} days` : '399 days'}::text::interval,
        now() at time zone 'UTC', ${span === 'day' ? '1 day' : '15 minutes'}::text::interval) s (at)
      cross join unnest(${[...keys]}::text[]) k (key)) r
    cross join lateral (select greatest(1, round(share))::integer as n) n
    where share >= 1 or random() < share
    order by at
    on conflict do nothing`
  const links = Array.from({ length: LINKS }, newId)
  await rows('quarter', 'all', [''])
  await rows('quarter', 'asset', ASSETS)
  await rows('quarter', 'link', links)
  await rows('day', 'all', [''])
  await rows('day', 'asset', ASSETS)
  await rows('day', 'link', links)
  await sql`vacuum (analyze) payment_sums`
}

/** Bytes of the table and its indexes. */
const weightOfPayment = async (sql: Sql, count: number): Promise<number> => {
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = 'payments'::regclass and attnum > 0 and not attisdropped and attidentity = '' order by attnum`
  const names = columns.map(({ name }) => name)
  const values = names.map(name =>
    name === 'id'
      ? 'new_uuidv7()'
      : name === 'address'
        ? `'0x' || encode(substr(sha256(n::text::bytea), 1, 20), 'hex')`
        : `p.${name}`,
  )
  await sql.unsafe(`
    insert into payments (${names.join(', ')})
    select ${values.join(', ')} from (select * from payments where state = 'success' limit 1) p,
      generate_series(1, ${count}) n`)
  const [row] = await sql<{ bytes: number }[]>`select pg_total_relation_size('payments')::float8 as bytes`
  return (row?.bytes ?? 0) / count
}

/** How many transitions the reader adds when it is behind. */
const promiseCatchUp = async ({ server, print, report }: Bench, { behind }: AnalyticsSizes): Promise<void> => {
  await using db = await createMigrated(server)
  const { actors, sql, close } = await openInstance(db.url, { kinds })
  try {
    const merchantId = newId()
    const links = await makeLinks(actors, merchantId, 50)
    let n = 0
    const make = async () => {
      while (n < behind)
        for (const commands of paymentSteps({ merchantId, links }, n++).steps) await carryOut(actors, commands)
    }
    await Promise.all(Array.from({ length: 64 }, make))
    await sql`vacuum (analyze)`
    const began = performance.now()
    let added = 0
    for (let page = 1; page > 0; added += page) page = await paymentSumsReader.add(sql, 5_000)
    const rate = added / ((performance.now() - began) / 1_000)
    print(`${thousands(added)} transitions added in ${((performance.now() - began) / 1_000).toFixed(1)} s`)
    report.atLeast('transitions that the sums of payments catch up with', rate, 20_000, { as: perSecond })
  } finally {
    await close()
  }
}
