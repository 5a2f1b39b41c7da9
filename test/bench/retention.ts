import { setTimeout as sleep } from 'node:timers/promises'
import { openKeyring } from '../../src/keyring.ts'
import { connect, type Sql } from '../../src/postgres/connect.ts'
import { readDatabase } from '../../src/queries/ops/database.ts'
import { TRANSITIONS_AT_ONCE } from '../../src/server/retention.ts'
import { insertKey, insertMerchant } from '../access/keys.ts'
import { startProgram } from '../commands/killed-program.ts'
import { startApiServers } from './api-servers.ts'
import { insertPaidPayments } from './audit-rows.ts'
import type { Bench } from './bench.ts'
import { callFor, type Load } from './callers.ts'
import { NUMBER, numberedPost, openHttp } from './http.ts'
import { perSecond, times } from './promises.ts'
import { createMigrated } from './server.ts'
import { SECRET_KEY } from './webhooks-instance.ts'

/** What requests notice of the night in which old records are dropped. */
export const retention = (bench: Bench): Promise<void> =>
  measureRetention(bench, bench.quick ? { payments: 10_000, quietMs: 4_000 } : { payments: 200_000, quietMs: 20_000 })

type Sizes = { readonly payments: number; readonly quietMs: number }

/** Each payment has a delivery with an attempt, and three transitions before its last. */
export const measureRetention = async (
  { server, print, report }: Bench,
  { payments, quietMs }: Sizes,
): Promise<void> => {
  await using db = await createMigrated(server)
  await using stack = new AsyncDisposableStack()
  const sql = connect(db.url, { max: 2 })
  stack.defer(() => sql.end({ timeout: 1 }))
  await insertPaidPayments(sql, openKeyring(SECRET_KEY), payments)
  await sql`update delivery_attempts set response_snippet = 'so'`
  await sql`insert into machine_states select 'delivery', 'delivered', count(*) from deliveries`
  await sql`
    update feed_cursors c set era = t.era, xid = t.xid, seq = t.seq
    from (select era, xid, seq from transitions order by era desc, xid desc, seq desc limit 1) t`
  await sql`insert into audits (status, started_by, finished_at) values ('clean', 'schedule', now())`
  await sql`vacuum analyze`
  print(`${payments.toLocaleString('en')} payments are inserted`)

  const merchantId = await insertMerchant(sql)
  const { secret } = await insertKey(sql, { merchantId })
  await using servers = await startApiServers(db.url, merchantId)
  await using http = openHttp(servers.ours)
  const toOurs = numberedPost(
    '/v1/payment-links',
    secret,
    JSON.stringify({ amountMinor: 4_900, currency: 'EUR', reference: `order ${NUMBER}` }),
  )
  let made = 0
  const load = (ms: number) => callFor(8, ms, () => http(toOurs(made++), 201))

  await load(quietMs / 2)
  const quiet = await load(quietMs)
  const program = startProgram('../server/retention-program.ts', [db.url, String(TRANSITIONS_AT_ONCE), '1'])
  const began = performance.now()
  const during = await load(quietMs)
  const dropped = () => sumOf(sql)
  const first = await dropped()
  const rate = first.dropped / ((performance.now() - began) / 1_000)
  if (first.isDone) throw new Error('everything was dropped before the requests ended')
  while (!(await dropped()).isDone) await sleep(200)
  await program.kill()
  const from = `${textOf(quiet)} before, ${textOf(during)} while ${perSecond(rate)} rows were dropped`
  print(from)
  report.atMost('p99 of requests while old records are dropped', during.p99 / quiet.p99, 2, { as: times, from })
}

const textOf = ({ p50, p99, perSecond: rate }: Load) =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${perSecond(rate)}`

const sumOf = async (sql: Sql) => {
  const { retention } = await readDatabase(sql)
  const held = retention.find(({ heldBack }) => heldBack !== null)
  if (held) throw new Error(`${held.part} is held back: ${held.heldBack}`)
  return {
    dropped: retention.reduce((sum, part) => sum + part.dropped, 0),
    isDone: retention.every(({ completedAt }) => completedAt !== null),
  }
}
