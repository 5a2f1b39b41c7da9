import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from '../../src/audit/audit.ts'
import { encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { TRANSITIONS_AT_ONCE } from '../../src/server/retention.ts'
import { startProgram } from '../commands/killed-program.ts'
import { until } from '../harness/until.ts'
import type { Bench } from './bench.ts'
import { callFor, type Load } from './callers.ts'
import { NUMBER, numberedPost, openHttp } from './http.ts'
import { startLoad } from './payments-load.ts'
import { ASSET, openService, type Service } from './payments-service.ts'
import { perSecond, thousands, times } from './promises.ts'

/** What requests notice of the night in which old records are dropped. */
export const retention = (bench: Bench): Promise<void> =>
  measureRetention(bench, bench.quick ? { ...whole, payments: 4_000, measureMs: 4_000 } : whole)

type Sizes = {
  /** Paid by customers and acknowledged by webhooks before the measurement. All of them are old then. */
  readonly payments: number
  /** Payments that are in flight while these are made. */
  readonly inFlight: number
  /** Payments in flight while requests are measured, which go on until their webhooks. */
  readonly beside: number
  readonly blockMs: number
  readonly measureMs: number
  readonly transitionsAtOnce: number
}

const whole: Sizes = {
  ...{ payments: 15_000, inFlight: 4_000, beside: 400, blockMs: 100, measureMs: 10_000 },
  transitionsAtOnce: TRANSITIONS_AT_ONCE,
}

const CALLERS = 8

/**
 * A running server with real payments. What they have left is dropped by another process, as if it were old, while new
 * payments are opened and paid. The audit must be clean before it, as in a night, and after it.
 */
export const measureRetention = async ({ server, print, report }: Bench, sizes: Sizes): Promise<void> => {
  const { payments, inFlight, beside, blockMs, measureMs, transitionsAtOnce } = sizes
  await using service = await openService(server, { merchants: 10, links: inFlight + CALLERS })
  const { sql, url } = service
  const loaded = await (await startLoad(service, { inFlight, blockMs, most: payments })).finish()
  print(`${thousands(loaded)} payments are complete`)
  await requireClean(sql)
  await sql`insert into audits (status, started_by, finished_at) values ('clean', 'schedule', now())`
  await sql`vacuum analyze`
  const [moment] = await sql<{ now: Date }[]>`select now()`
  const before = moment?.now ?? new Date()
  const old = await countOld(sql, before)

  await using http = openHttp(url)
  const requests = openings(service, inFlight)
  const load = () => callFor(CALLERS, measureMs, (caller, turn) => http(requests(caller, turn), 201))
  const others = await startLoad(service, { inFlight: beside, blockMs })
  await load()
  const quiet = await load()
  const program = startProgram('../server/retention-program.ts', [
    service.databaseUrl,
    String(transitionsAtOnce),
    before.toISOString(),
  ])
  const began = performance.now()
  await until(async () => (await sumOf(sql)) > 0)
  const during = await load()
  const rate = (await sumOf(sql)) / ((performance.now() - began) / 1_000)
  const from = `${textOf(quiet)} before, ${textOf(during)} while ${perSecond(rate)} rows were dropped`
  print(from)
  if ((await countOld(sql, before)).deliveries === 0)
    throw new Error('all deliveries were dropped before the requests ended')
  while ((await sql`select from retention_progress where completed_at is null`).length > 0) await sleep(100)
  await program.kill()
  others.completed()
  await others.finish()

  const left = await countOld(sql, before)
  print(
    `${thousands(old.deliveries)} deliveries and ${thousands(old.transitions - left.transitions)} transitions were dropped`,
  )
  if (left.deliveries > 0) throw new Error(`${left.deliveries} deliveries were not dropped`)
  await requireClean(sql)
  report.atMost('p99 of requests while old records are dropped', during.p99 / quiet.p99, 2, { as: times, from })
}

/** Requests that open payments, on links that no other customer uses. */
const openings = ({ links }: Service, used: number) => {
  const body = JSON.stringify({ customerEmail: 'ada@example.com', customerName: `Ada ${NUMBER}`, ...ASSET })
  const posts = links
    .slice(used)
    .map(({ id }) => numberedPost(`/v1/checkout/links/${encodeId('plink', id)}/payments`, '', body))
  return (caller: number, turn: number) => {
    const post = posts[caller % posts.length]
    if (!post) throw new Error('there is no link for this caller')
    return post(turn)
  }
}

/** Audits the database when the sums of all transitions are made: those that are not made yet would be added for each check. */
const requireClean = async (sql: Sql): Promise<void> => {
  await until(async () => {
    const behind = await sql`
      select from feed_cursors c where exists (
        select from transitions t where (t.era, t.xid, t.seq) > (c.era, c.xid, c.seq))`
    return behind.length === 0
  })
  const findings = await audit(sql, kinds)
  if (findings.length > 0) throw new Error(`the audit found ${JSON.stringify(findings.slice(0, 5))}`)
}

const textOf = ({ p50, p99, perSecond: rate }: Load) =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${perSecond(rate)}`

/** The rows that were dropped. Throws when a part is held back. */
const sumOf = async (sql: Sql): Promise<number> => {
  const parts = await sql<{ part: string; dropped: number; held: string | null }[]>`
    select part, dropped::integer as dropped, held from retention_progress`
  const held = parts.find(part => part.held !== null)
  if (held) throw new Error(`${held.part} is held back: ${held.held}`)
  return parts.reduce((sum, { dropped }) => sum + dropped, 0)
}

const countOld = async (sql: Sql, before: Date) => {
  const [row] = await sql<{ deliveries: number; transitions: number }[]>`
    select (select count(*)::integer from deliveries where state = 'delivered' and updated_at < ${before}) as deliveries,
      (select count(*)::integer from transitions where at < ${before}) as transitions`
  return row ?? { deliveries: 0, transitions: 0 }
}
