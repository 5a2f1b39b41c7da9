import { afterAll, beforeAll, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { manualClock } from '../../src/clock.ts'
import { deliveryRoutes } from '../../src/http/deliveries.ts'
import { eventRoutes } from '../../src/http/events.ts'
import { opsTransitionRoutes } from '../../src/http/ops/transitions.ts'
import { streamRoutes } from '../../src/http/stream.ts'
import { openTransitionStreams } from '../../src/http/transition-streams.ts'
import { encodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import type { Sql } from '../../src/postgres/connect.ts'
import { findChangesBegin } from '../../src/queries/changes.ts'
import { type MachineName, resources } from '../../src/resources.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { events } from '../harness/events.ts'
import { final, happen, openPayment, seen } from '../http/payments.ts'
import { operator, type Person, type Shop, shop } from '../http/people.ts'
import { makeEndpoint } from '../http/webhooks.ts'
import { countIn, daysAgo, readFeeds, recordAudit, runRetention } from './retaining.ts'

/** When the payments were made, in days, and whether the deliveries of their events have ended. */
const PAYMENTS: readonly (readonly [age: number, deliveries: 'ended' | 'open'])[] = [
  ...([700, 699, 698].map(age => [age, 'ended']) as [number, 'ended'][]),
  [697, 'open'],
  ...([650, 500].map(age => [age, 'ended']) as [number, 'ended'][]),
  [420, 'open'],
  ...([300, 95].map(age => [age, 'ended']) as [number, 'ended'][]),
  ...([60, 1].map(age => [age, 'ended']) as [number, 'ended'][]),
]

let server: ApiServer
let lamps: Shop
let reader: Person
let paths: readonly (readonly [list: string, path: string, bearer: string])[]

beforeAll(async () => {
  const clock = manualClock(new Date())
  server = await apiServer({
    routes: [...deliveryRoutes, ...eventRoutes, ...opsTransitionRoutes, ...streamRoutes],
    outside: { clock },
  })
  const { api, sql } = server
  lamps = await shop(api)
  reader = await operator(api)
  clock.set(daysAgo(701))
  const eventTypes = ['payment.created', 'payment.succeeded']
  const { row: endpoint } = await makeEndpoint(api, lamps, { eventTypes })
  await makeEndpoint(api, lamps, { eventTypes })
  for (const [age, deliveries] of PAYMENTS) {
    clock.set(daysAgo(age))
    const { actor } = await openPayment(api, { ...lamps, livemode: false })
    await happen(api, actor, { ...seen('enough_seen', 1000n), minedAt: clock.now() })
    await happen(api, actor, final('finalized', 1000n))
    const made = await sql<{ id: string }[]>`
      select d.id from deliveries d join events e on e.id = d.event_id where e.actor = ${actor} order by d.seq`
    // Of the first payments, one delivery has ended although the others are open.
    for (const [n, { id }] of made.entries())
      if (deliveries === 'ended' || n === 1)
        expect(await api.actors.dispatch({ kind: 'delivery', actor: id, event: { type: 'cancel' } })).toMatchObject({
          ok: true,
        })
  }
  clock.set(new Date())
  await readFeeds(server)
  await recordAudit(server, 'clean')
  expect(await audit(sql, kinds)).toEqual([])
  const merchant = lamps.path
  const { bearer } = lamps.owner
  paths = [
    ['deliveries of an endpoint', `${merchant}/webhook-endpoints/${encodeId('whe', endpoint.id)}/deliveries`, bearer],
    ['deliveries of all endpoints', `${merchant}/deliveries`, bearer],
    ['events', `${merchant}/events`, bearer],
    ['transitions', '/v1/ops/transitions', reader.bearer],
  ]
}, 60_000)
afterAll(() => server?.[Symbol.asyncDispose]())

const PAGE = 3

type Walk = { readonly path: string; readonly bearer: string; readonly order: string; readonly seen: readonly string[] }

const nextPage = async ({ path, bearer, order, seen }: Walk, limit: number) => {
  const cursor = seen.length > 0 ? `&startingAfter=${seen.at(-1)}` : ''
  const answer = await server.call('GET', `${path}?limit=${limit}&order=${order}${cursor}`, { bearer })
  if (answer.status !== 200) throw new Error(`${path} after ${seen.at(-1)}: ${answer.status} ${answer.text}`)
  return answer.json as { readonly data: readonly { readonly id: string }[]; readonly has_more: boolean }
}

/** The walk at its beginning, after each of its pages, and at its end. */
const stepsOf = async (begin: Walk, limit = PAGE): Promise<readonly Walk[]> => {
  const steps = [begin]
  for (let walk = begin, hasMore = true; hasMore; steps.push(walk)) {
    const page = await nextPage(walk, limit)
    walk = { ...walk, seen: [...walk.seen, ...page.data.map(({ id }) => id)] }
    hasMore = page.has_more
  }
  return steps
}

const end = async (walk: Walk) => (await stepsOf(walk, 40)).at(-1)?.seen ?? []

/** The feed, by the IDs of operators, with the position of each transition. */
const readFeed = async () => {
  const rows = await server.sql<{ kind: MachineName; actor: string; rev: number; position: string }[]>`
    select kind, actor, rev, concat_ws('.', era, xid, seq) as position from transitions t order by t.era, t.xid, t.seq`
  return rows.map(({ kind, actor, rev, position }) => ({
    id: `${encodeId(resources[kind].prefix, actor)}:${rev}`,
    position,
  }))
}
type Feed = Awaited<ReturnType<typeof readFeed>>

const idsAfter = (feed: Feed, position: string): readonly string[] => {
  const place = (text: string) => text.split('.').map(BigInt)
  const [, xid = 0n, seq = 0n] = place(position)
  return feed.flatMap(({ id, position: at }) => {
    const [, itsXid = 0n, itsSeq = 0n] = place(at)
    return itsXid > xid || (itsXid === xid && itsSeq > seq) ? [id] : []
  })
}

/** Waits before each query from the time it is closed until it is opened. */
const gatedSql = (sql: Sql) => {
  let gate = Promise.resolve()
  let open = () => {}
  const gated = new Proxy(sql, {
    apply: async (target, self, given) => {
      await gate
      return Reflect.apply(target, self, given)
    },
  })
  return {
    sql: gated as Sql,
    open: () => open(),
    close: () => {
      const closed = Promise.withResolvers<void>()
      ;[gate, open] = [closed.promise, closed.resolve]
    },
  }
}

/** The transitions of a stream, until the last of these. */
const readUntil = async (next: () => Promise<string>, last: string | undefined): Promise<readonly string[]> => {
  let text = ''
  while (!text.includes(`"${last}"`)) text += await next()
  return [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id ?? '')
}

test('walks and streams that began before old records were dropped have each record that is kept once', async () => {
  const { api, sql } = server
  const begun: { list: string; steps: readonly Walk[] }[] = []
  for (const [list, path, bearer] of paths)
    for (const order of ['asc', 'desc'])
      begun.push({ list: `${list} ${order}`, steps: await stepsOf({ path, bearer, order, seen: [] }) })
  const feed = await readFeed()
  const gate = gatedSql(sql)
  const streams = openTransitionStreams({ ...api, sql: gate.sql }, { everyMs: 1, page: 7 })
  const [session] = await sql<{ id: string }[]>`select id from sessions where account_id = ${reader.accountId}`
  const none = { kind: undefined, event: undefined, state: undefined, actor: undefined, merchantId: undefined }
  const client = { sessionId: session?.id ?? '', hasSecondFactor: true, filter: none }
  const stream = (await streams.open(client, '0.0.0')).getReader()
  const next = async () => new TextDecoder().decode((await stream.read()).value)
  const first = await readUntil(next, feed[6]?.id)
  gate.close()

  const counts = { deliveries: await countIn(server, 'deliveries'), transitions: feed.length }
  expect((await runRetention(server, { transitionsAtOnce: 4 })).map(({ part }) => part)).toEqual([
    'deliveries',
    'history',
  ])
  const kept = await readFeed()
  expect(await countIn(server, 'deliveries')).toBeLessThan(counts.deliveries)
  expect(kept.length).toBeLessThan(counts.transitions)

  for (const { list, steps } of begun) {
    const [begin] = steps
    if (!begin) throw new Error('a walk has a beginning')
    const all = await end(begin)
    expect(steps.length).toBeGreaterThan(all.length / PAGE)
    if (list === 'transitions asc') expect(all).toEqual(kept.map(({ id }) => id))
    for (const { seen } of steps) {
      const whole = await end({ ...begin, seen })
      expect({ list, after: seen.length, twice: whole.length - new Set(whole).size }).toEqual({
        ...{ list, after: seen.length, twice: 0 },
      })
      expect({ list, after: seen.length, kept: whole.filter(id => all.includes(id)) }).toEqual({
        ...{ list, after: seen.length, kept: [...all] },
      })
    }
  }

  gate.open()
  const rest = await readUntil(next, kept.at(-1)?.id)
  await stream.cancel()
  streams.stop()
  const sent = [...first, ...rest]
  expect(new Set(sent).size).toBe(sent.length)
  const isKept = new Set(kept.map(({ id }) => id))
  expect(sent.filter(id => isKept.has(id))).toEqual([...isKept])

  const begins = await findChangesBegin(sql)
  const begin = `${begins?.era}.${begins?.xid}.${begins?.seq}`
  const isComplete = new Set(idsAfter(feed, begin))
  for (const { position } of feed.filter((_, n) => n % 5 === 0)) {
    const opened = await events(`${server.url}/v1/ops/transitions/stream`, {
      authorization: `Bearer ${reader.bearer}`,
      'last-event-id': position,
    })
    const wanted = idsAfter(feed, position)
    if (wanted.every(id => isComplete.has(id)))
      for (const id of wanted) expect((await opened.next())?.data).toMatchObject({ id })
    else expect(await opened.next()).toMatchObject({ event: 'reset' })
    opened.leave()
  }
  expect(await audit(sql, kinds)).toEqual([])
}, 60_000)
