import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from '../../src/audit/audit.ts'
import { openCalls } from '../../src/demo/call.ts'
import { encodeId } from '../../src/ids.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import { areNumbered } from './billing-drafts.ts'
import { insertMerchant, insertSubscribers } from './billing-subscribers.ts'
import { milliseconds, percentile, thousands, times } from './promises.ts'
import { openStreamShop, type StreamShop } from './streams-shop.ts'
import { SECRET_KEY } from './webhooks-instance.ts'

export type RenewalSizes = {
  /** 70 % of them of one merchant, the others of six. */
  readonly subscriptions: number
  readonly renewalKills: number
  /** Of the API, meanwhile. */
  readonly renewalCallers: number
  /** How long they call before. */
  readonly quietMs: number
  /** In which the subscriptions are inserted. */
  readonly insertMs: number
}

const SMALL_MERCHANTS = 6
/** Between two requests of a caller. */
const EVERY_MS = 100
const WITHIN_MS = 15 * 60_000

/** Subscriptions whose next period begins at one instant, while the API is used, and process and Postgres are killed. */
export const promiseRenewals = async (bench: Bench, sizes: RenewalSizes): Promise<void> => {
  const { server, print } = bench
  const { subscriptions, renewalKills, renewalCallers, quietMs, insertMs } = sizes
  await using shop = await openStreamShop(server, { links: 10, rows: 20 })
  const { sql } = shop
  const beginsAt = new Date((await databaseTime(sql)).getTime() + insertMs + quietMs)
  const counts = new Map([[shop.merchantId, subscriptions * 0.7]])
  for (let n = 0; n < SMALL_MERCHANTS; n++)
    counts.set(await insertMerchant(sql), (subscriptions * 0.3) / SMALL_MERCHANTS)
  await insertSubscribers(sql, { counts, beginsAt })
  await sql`vacuum analyze`
  const leftMs = beginsAt.getTime() - (await databaseTime(sql)).getTime()
  if (leftMs < quietMs) throw new Error(`the subscriptions were not inserted within ${insertMs} ms`)
  print(
    `${thousands(subscriptions)} subscriptions inserted, ${Math.round(leftMs / 1_000)} s before their periods begin`,
  )

  const callers = callApi(shop, renewalCallers)
  await until(async () => (await databaseTime(sql)) >= beginsAt, { timeoutMs: leftMs + 60_000, everyMs: 20 })
  const before = callers.take(quietMs)
  const began = performance.now()
  // Counting costs what the server could use.
  const everyMs = subscriptions / 40
  const hasLeft = (most: number) =>
    until(async () => (await countDue(sql, beginsAt)) <= most, {
      timeoutMs: 2 * WITHIN_MS,
      everyMs,
      what: `${most} timers`,
    })
  const timers = await countDue(sql, beginsAt)
  for (let kill = 1; kill <= renewalKills; kill++) {
    await hasLeft(timers * (1 - kill / (renewalKills + 1)))
    await callers.pause()
    const crash = kill % 2 === 0 ? server.crash : undefined
    await (crash ?? shop.kill)()
    callers.goOn()
    print(
      `kill ${kill} of ${crash ? 'Postgres' : 'the process'} after ${seconds(performance.now() - began)}, ${thousands(await countDue(sql, beginsAt))} of ${thousands(timers)} timers left`,
    )
  }
  await hasLeft(0)
  const tookMs = performance.now() - began
  await callers.pause()
  const during = callers.take()

  const promise = `${thousands(subscriptions)} periods begin at one instant, ${thousands(subscriptions * 0.7)} of one merchant, over ${renewalKills} kills`
  bench.report.atMost(promise, tookMs / 1_000, WITHIN_MS / 1_000, { as: figure => `${figure.toFixed(0)} s` })
  const [p99, quietP99] = [percentile(during, 0.99), percentile(before, 0.99)]
  const from = `${milliseconds(p99)} of ${thousands(during.length)} requests against ${milliseconds(quietP99)} of ${thousands(before.length)}, p50 ${milliseconds(percentile(during, 0.5))} against ${milliseconds(percentile(before, 0.5))}`
  bench.report.atMost(`${promise}, p99 of the API meanwhile`, p99 / quietP99, 2, { as: times, from })
  await judge(bench, shop, { counts, promise })
}

const databaseTime = async (sql: Sql): Promise<Date> => {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
  return row?.now ?? new Date()
}

/** Timers of subscriptions that are due at this time: two for each, the invoice and the beginning of the period. */
const countDue = async (sql: Sql, at: Date): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from timers
    where planned and kind = 'subscription' and test_clock_id is null and due_at <= ${at}`
  return row?.count ?? 0
}

/** Callers that read and write in turns until they are paused. */
const callApi = ({ url, apiKey, paid }: StreamShop, count: number) => {
  const call = openCalls(url, apiKey)
  const request = async (turn: number) => {
    if (turn % 2 === 0) await call('GET', `/v1/payments/${encodeId('pay', paid[turn % paid.length] ?? '')}`)
    else await call('POST', '/v1/payment-links', { amountMinor: 4900, currency: 'USD', title: 'Brass desk lamp' })
  }
  let latencies: { readonly at: number; readonly ms: number }[] = []
  let isOver = false
  const one = async (caller: number): Promise<void> => {
    // A request that is late does not delay the time at which the next one is due.
    let at = performance.now() + Math.random() * EVERY_MS
    for (let turn = caller; !isOver; turn++, at += EVERY_MS) {
      await sleep(Math.max(0, at - performance.now()))
      await request(turn)
      latencies.push({ at, ms: performance.now() - at })
    }
  }
  const start = () => Promise.all(Array.from({ length: count }, (_, caller) => one(caller)))
  let running = start()
  return {
    /** The latencies so far, of the last milliseconds. */
    take: (ofMs = Number.POSITIVE_INFINITY): readonly number[] => {
      const since = performance.now() - ofMs
      const taken = latencies.filter(({ at }) => at >= since).map(({ ms }) => ms)
      latencies = []
      return taken
    },
    pause: async () => {
      isOver = true
      await running
    },
    goOn: () => {
      isOver = false
      running = start()
    },
  }
}

type Judged = { readonly counts: ReadonlyMap<string, number>; readonly promise: string }

const judge = async ({ report, print }: Bench, { sql }: StreamShop, { counts, promise }: Judged): Promise<void> => {
  const hasNoJobs = async () => (await sql`select from graphile_worker._private_jobs limit 1`).length === 0
  await until(hasNoJobs, { timeoutMs: 600_000, everyMs: 500, what: 'all jobs' })
  let misnumbered = 0
  for (const [merchantId, count] of counts) if (!(await areNumbered(sql, merchantId, count, count / 2))) misnumbered++
  const [row] = await sql<Record<'active' | 'owed' | 'wrong' | 'events', number>[]>`
    select count(*) filter (where state = 'active' and invoices = 'paid')::int as active,
      count(*) filter (where state = 'past_due' and invoices = 'open')::int as owed,
      count(*) filter (where boundaries is distinct from 1)::int as wrong,
      (select count(*)::int from events where type in ('subscription.activated', 'subscription.past_due')) as events
    from subscriptions s
    left join (select subscription_id, string_agg(state, ' ') as invoices from invoices where period_index = 0 group by 1) i
      on i.subscription_id = s.id
    left join (
      select actor, count(*) as boundaries from transitions
      where kind = 'subscription' and event like 'after.boundary.%' group by 1) t on t.actor = s.id`
  const count = [...counts.values()].reduce((sum, each) => sum + each)
  report.judge(
    `${promise}, each with one invoice`,
    row?.active === count / 2 && row.owed === count / 2 && row.wrong === 0 && row.events === count,
    `${thousands(row?.active ?? 0)} active and paid, ${thousands(row?.owed ?? 0)} past due and open, ${row?.wrong} begun another number of times`,
    'half each, none',
  )
  report.judge(`${promise}, numbers 1, 2, 3 … of each merchant`, misnumbered === 0, `${misnumbered} wrong`, 'none')
  const began = performance.now()
  const findings = await audit(sql, kinds, { keyring: openKeyring(SECRET_KEY), parallel: 2 })
  print(`audited in ${seconds(performance.now() - began)}`)
  report.judge(
    `${promise}, the audit afterwards`,
    findings.length === 0,
    findings.map(({ what, count, example }) => `${count} × ${what}, such as ${example}`).join('; ') || 'clean',
    'clean',
  )
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(0)} s`
