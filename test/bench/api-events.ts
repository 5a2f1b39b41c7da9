import { connect, type Sql } from '../../src/postgres/connect.ts'
import { insertKey } from '../access/keys.ts'
import type { ApiSizes } from './api.ts'
import { type ServerUrls, startApiServers } from './api-servers.ts'
import type { Bench } from './bench.ts'
import { callTimes, inTurns } from './callers.ts'
import { bestOf, median, milliseconds, thousands, times } from './promises.ts'
import { createMigrated } from './server.ts'

/** A merchant's newest hundred events among many events, against the same among few. */
export const promiseEvents = async (bench: Bench, sizes: ApiSizes): Promise<void> => {
  const { say, report } = bench
  await using few = await openLists(bench, sizes.fewEvents, sizes.fewMerchants, sizes.readers)
  await using many = await openLists(bench, sizes.events, sizes.merchants, sizes.readers)
  const among = `${nameOf(sizes.events, sizes.merchants)} against ${nameOf(sizes.fewEvents, sizes.fewMerchants)}`
  for (const [page, query] of fullPages) {
    const rounds: Round[] = []
    for (let n = 1; n <= sizes.rounds; n++) {
      const round = await measureRound({ few, many }, query, sizes)
      say(`${page}, round ${n} of ${sizes.rounds}: ${tell(round)}`)
      rounds.push(round)
    }
    const best = bestOf(rounds, ({ few, many }) => many / few, 'lower')
    report.atMost(`${page} of ${among}`, best.many / best.few, 1.2, { as: times, from: tell(best) })
  }
  const none = await measureRound({ few, many }, 'limit=100&type=dispute.opened', sizes)
  say(`for information, a page of a type that no event has: ${tell(none)}`)
}

const fullPages = [
  ['a page of 100', 'limit=100'],
  ['a page of 100 of one type', 'limit=100&type=payment.succeeded'],
] as const

const nameOf = (events: number, merchants: number) => `${thousands(events)} events of ${thousands(merchants)} merchants`

/** Milliseconds that a page costs: the medians of many short turns. */
type Round = { readonly few: number; readonly many: number }

const tell = ({ few, many }: Round) => `${milliseconds(many)} against ${milliseconds(few)}`

const measureRound = async (
  { few, many }: { readonly few: Lists; readonly many: Lists },
  query: string,
  { pairs }: ApiSizes,
): Promise<Round> => {
  // Connections and plans, and in memory what a server that has been up for a while has there.
  for (const lists of [few, many]) await lists.cost(query, 5)
  const costs = await inTurns(
    pairs,
    () => few.cost(query, 1),
    () => many.cost(query, 1),
  )
  return { few: median(costs.map(([few]) => few)), many: median(costs.map(([, many]) => many)) }
}

type Lists = AsyncDisposable & {
  /** Milliseconds that a page costs, each reader asking so often. */
  cost(query: string, each: number): Promise<number>
}

const openLists = async (
  { server, say }: Bench,
  events: number,
  merchants: number,
  readers: number,
): Promise<Lists> => {
  await using opening = new AsyncDisposableStack()
  const db = opening.use(await createMigrated(server))
  const sql = connect(db.url, { max: 1 })
  const began = performance.now()
  await insertEvents(sql, events, merchants)
  const secrets: string[] = []
  for (let n = 0; n < readers; n++) {
    const merchantId = merchantOf(Math.floor((n * merchants) / readers))
    await sql`insert into merchants (id, name) values (${merchantId}, 'A shop')`
    secrets.push((await insertKey(sql, { merchantId })).secret)
  }
  await sql.end({ timeout: 1 })
  say(
    `${thousands(events)} events of ${thousands(merchants)} merchants in ${((performance.now() - began) / 1_000).toFixed(0)} s`,
  )
  const api = opening.use(await startApiServers(db.url, merchantOf(0)))
  const open = opening.move()
  return {
    cost: async (query, each) => {
      const calls = readers * each
      return (await callTimes(1, calls, n => readPage(api, secrets[n % readers] ?? '', query))) / calls
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const readPage = async ({ ours }: ServerUrls, secret: string, query: string): Promise<void> => {
  const answer = await fetch(`${ours}/v1/events?${query}`, { headers: { authorization: `Bearer ${secret}` } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`a page was answered ${answer.status}`)
  const full = text.length > 50_000
  if (full === query.includes('dispute')) throw new Error('a page is not as full as it should be')
}

const merchantOf = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/** As the merchants' payments would have left them by and by: the events of one lie far apart. */
const insertEvents = async (sql: Sql, events: number, merchants: number): Promise<void> => {
  // What is measured is reading; written to the log too, these would take twice as long. And nobody is to
  // clean up after them meanwhile.
  await sql`alter table events set unlogged`
  // It would be shown all of them at once, and there is no endpoint.
  await sql`alter table events disable trigger events_fan_out`
  await sql`alter table events set (autovacuum_enabled = off)`
  const indexes = await sql<{ name: string; definition: string }[]>`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'events'::regclass and not i.indisprimary`
  for (const { name } of indexes) await sql`drop index ${sql(name)}`
  await sql`
    insert into events (id, kind, actor, rev, type, merchant_id, livemode, api_version, object, created_at, era, xid)
    select ('0193a000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'payment', gen_random_uuid(), 1,
      (array['payment.created', 'payment.processing', 'payment.succeeded', 'payment.expired'])[1 + n / ${merchants}::int % 4],
      ('00000000-0000-7000-8000-' || lpad(to_hex(n % ${merchants}::int), 12, '0'))::uuid, false, '2026-11-20',
      (${head} || n || ${tail})::json, now(), current_era.era, (3 + n::bigint * 500 / ${events}::int)::text::xid8
    from generate_series(0, ${events}::int - 1) n, current_era() as current_era(era)`
  await sql`set maintenance_work_mem = '512MB'`
  for (const { definition } of indexes) await sql.unsafe(definition)
  await sql`analyze events`
}

/** A payment as events carry it, on both sides of the number of its order. */
const [head, tail] = JSON.stringify({
  object: 'payment',
  id: 'pay_01m7ygh5qmfvg9bxgmmwc0qqnf',
  merchantId: 'mer_01m7ygh5qmfvg9bxgmmwc0qqnf',
  method: 'crypto',
  status: 'success',
  amountMinor: 4900,
  amountRefundedMinor: 0,
  currency: 'EUR',
  customerEmail: 'ada@example.com',
  customerName: 'Ada Example',
  failureReason: null,
  paymentLinkId: 'plink_01m7ygh5qmfvg9bxgmmwc0qqnf',
  reference: 'order #',
  metadata: { shelf: 'B' },
  expiresAt: '2026-11-20T12:30:00.000Z',
  livemode: false,
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:01:00.000Z',
}).split('#') as [string, string]
