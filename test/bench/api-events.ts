import { connect, type Sql } from '../../src/postgres/connect.ts'
import { insertKey } from '../access/keys.ts'
import type { ApiSizes } from './api.ts'
import { type ServerUrls, startApiServers } from './api-servers.ts'
import type { Bench } from './bench.ts'
import { callTimes, inTurns } from './callers.ts'
import { bestOf, median, milliseconds, thousands, times } from './promises.ts'
import { createMigrated } from './server.ts'

/** A merchant's newest hundred events among many events, compared with the same among few. */
export const promiseEvents = async (bench: Bench, sizes: ApiSizes): Promise<void> => {
  const { print, report } = bench
  await using few = await openLists(bench, sizes.fewEvents, sizes.fewMerchants, sizes.readers)
  await using many = await openLists(bench, sizes.events, sizes.merchants, sizes.readers)
  const among = `${nameOf(sizes.events, sizes.merchants)} against ${nameOf(sizes.fewEvents, sizes.fewMerchants)}`
  for (const [page, query] of fullPages) {
    const rounds: Round[] = []
    for (let n = 1; n <= sizes.rounds; n++) {
      const round = await measureRound({ few, many }, query, sizes)
      print(`${page}, round ${n} of ${sizes.rounds}: ${format(round)}`)
      rounds.push(round)
    }
    const best = bestOf(rounds, ({ few, many }) => many / few, 'lower')
    report.atMost(`${page} of ${among}`, best.many / best.few, 1.2, { as: times, from: format(best) })
  }
  const none = await measureRound({ few, many }, 'limit=100&type=dispute.opened', sizes)
  print(`for information, a page of a type that no event has: ${format(none)}`)
}

const fullPages = [
  ['a page of 100', 'limit=100'],
  ['a page of 100 of one type', 'limit=100&type=payment.succeeded'],
] as const

const nameOf = (events: number, merchants: number) => `${thousands(events)} events of ${thousands(merchants)} merchants`

/** Milliseconds per page: the medians of many short turns. */
type Round = { readonly few: number; readonly many: number }

const format = ({ few, many }: Round) => `${milliseconds(many)} against ${milliseconds(few)}`

const measureRound = async (
  { few, many }: { readonly few: Lists; readonly many: Lists },
  query: string,
  { pairs }: ApiSizes,
): Promise<Round> => {
  // Warms up connections, plans and caches, as in a server that has run for a while.
  for (const lists of [few, many]) await lists.cost(query, 5)
  const costs = await inTurns(
    pairs,
    () => few.cost(query, 1),
    () => many.cost(query, 1),
  )
  return { few: median(costs.map(([few]) => few)), many: median(costs.map(([, many]) => many)) }
}

type Lists = AsyncDisposable & {
  /** Milliseconds per page, with this many requests of each reader. */
  cost(query: string, each: number): Promise<number>
}

const openLists = async (
  { server, print }: Bench,
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
  print(
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
  if (answer.status !== 200) throw new Error(`a page has the status ${answer.status}`)
  const full = text.length > 50_000
  if (full === query.includes('dispute')) throw new Error('a page is not as full as it should be')
}

const merchantOf = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/** As the payments of many merchants would leave them: the events of one merchant lie far apart. */
const insertEvents = async (sql: Sql, events: number, merchants: number): Promise<void> => {
  // Only reading is measured. Unlogged tables take half the time to fill, and autovacuum must not
  // run meanwhile.
  await sql`alter table events set unlogged`
  // The trigger for new events would process all of them at once, and there is no endpoint.
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
      ${head} || n || ${tail}, now(), current_era.era, (3 + n::bigint * 500 / ${events}::int)::text::xid8
    from generate_series(0, ${events}::int - 1) n, current_era() as current_era(era)`
  await sql`set maintenance_work_mem = '512MB'`
  for (const { definition } of indexes) await sql.unsafe(definition)
  await sql`analyze events`
}

/** A payment as events contain it: the text before and after its order number. */
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
