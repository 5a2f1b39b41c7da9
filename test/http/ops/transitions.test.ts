import { describe, expect, test } from 'bun:test'
import { routes } from '../../../src/http/routes.ts'
import { connect } from '../../../src/postgres/connect.ts'
import { type FeedPlace, findPlace, listFeed, MOST_LOOKED_AT } from '../../../src/queries/ops/transitions.ts'
import { until } from '../../harness/until.ts'
import { makePayment, openPayment } from '../payments.ts'
import { operator } from '../people.ts'
import { twoShops } from '../two-shops.ts'

const { server, lamps, chairs } = await twoShops({ routes })
const { bearer } = await operator(server.api)

type List = { readonly data: readonly { readonly id: string; readonly actorId: string; readonly event: string }[] }

const ask = (query: string) => server.call('GET', `/v1/ops/transitions?${query}`, { bearer })
const ids = async (query: string) => ((await ask(query)).json as List).data.map(({ id }) => id)

/** Every page, with two entries each. */
const walk = async (query: string, order: 'asc' | 'desc') => {
  const seen: string[] = []
  for (;;) {
    const after = seen.at(-1)
    const page = await ids(`limit=2&order=${order}&${query}${after === undefined ? '' : `&startingAfter=${after}`}`)
    if (page.length === 0) return seen
    seen.push(...page)
  }
}

describe('GET /v1/ops/transitions', () => {
  test('200: all transitions of all merchants and both modes, each once, in both orders, with filters', async () => {
    const one = await makePayment(server.api, { ...lamps, livemode: false }, 'picked')
    const two = await makePayment(server.api, { ...lamps, livemode: true }, 'success')
    const three = await makePayment(server.api, { ...chairs, livemode: false }, 'new')
    const [{ count } = { count: 0 }] = await server.sql<{ count: number }[]>`
      select count(*)::integer as count from transitions`
    const all = await walk('', 'asc')
    expect(all).toHaveLength(count)
    expect(new Set(all).size).toBe(count)
    expect(await walk('', 'desc')).toEqual([...all].reverse())
    const of = (actor: string) => all.filter(id => id.startsWith(`${actor}:`))
    expect(await walk(`actor=${two.id}`, 'asc')).toEqual(of(two.id))
    expect(await walk(`kind=payment&event=asset_picked`, 'asc')).toEqual([`${one.id}:2`, `${two.id}:2`])
    expect(await walk('kind=payment&state=success', 'asc')).toEqual(of(two.id).slice(-1))
    const merchant = (shop: typeof lamps) => shop.path.split('/').at(-1)
    const ofChairs = await walk(`merchantId=${merchant(chairs)}`, 'asc')
    expect(ofChairs).toEqual(all.filter(id => [three.id, three.linkId].includes(id.split(':')[0] ?? '')))
    expect(await walk(`merchantId=${merchant(lamps)}`, 'asc')).toEqual(all.filter(id => !ofChairs.includes(id)))
    expect(await walk(`merchantId=${merchant(chairs)}&kind=payment&state=success`, 'desc')).toEqual([])
  })

  test('200: a transition that may be overtaken is left out until it cannot', async () => {
    const slow = connect(server.databaseUrl, { max: 1 })
    const before = await ids('limit=1')
    await slow.unsafe('begin; select pg_current_xact_id()')
    await makePayment(server.api, { ...lamps, livemode: false }, 'new')
    expect(await ids('limit=1')).toEqual(before)
    await slow.unsafe('rollback')
    await slow.end()
    expect(await ids('limit=1')).not.toEqual(before)
  })

  test('200: a page that has looked at enough says where to go on, and the pages together have each transition once', async () => {
    await makePayment(server.api, { ...lamps, livemode: false }, 'success')
    await makePayment(server.api, { ...lamps, livemode: true }, 'success')
    await makePayment(server.api, { ...chairs, livemode: true }, 'picked')
    const place = async ({ actor, rev }: { readonly actor: string; readonly rev: number }) =>
      findPlace(server.sql, actor, rev)
    const none = { kind: undefined, event: undefined, state: undefined, actor: undefined, merchantId: undefined }
    const filters = [
      { event: 'finalized' },
      { state: 'processing' },
      { kind: 'payment_link', event: 'payment_succeeded' },
      { merchantId: lamps.merchantId, event: 'asset_picked' },
      { merchantId: chairs.merchantId, event: 'finalized' },
      { event: 'no_such_event' },
    ] as const
    for (const part of filters)
      for (const order of ['asc', 'desc'] as const) {
        const filter = { ...none, ...part }
        const seen: string[] = []
        let after: FeedPlace | undefined
        for (let pages = 0; ; pages++) {
          expect(pages).toBeLessThan(200)
          const { rows, lookedUpTo } = await listFeed(server.sql, filter, { after, limit: 2, order }, 3)
          const page = rows.slice(0, 2)
          seen.push(...page.map(({ actor, rev }) => `${actor}:${rev}`))
          const last = rows.length > 2 ? page.at(-1) : lookedUpTo
          if (!last) break
          after = await place(last)
        }
        const { rows } = await listFeed(server.sql, filter, { after: undefined, limit: 1_000, order })
        expect([part, order, seen]).toEqual([part, order, rows.map(({ actor, rev }) => `${actor}:${rev}`)])
        expect(new Set(seen).size).toBe(seen.length)
      }
  })

  test('200: a rare event among many transitions takes one bounded look', async () => {
    const { actor } = await openPayment(server.api, { ...lamps, livemode: false })
    const before = await ids('limit=1')
    await server.sql`
      insert into transitions (actor, command, at, actor_created_at, era, rev, keyed, kind, event, from_state, to_state, context)
      select ${actor}, gen_random_uuid(), now(), now(), current_era(), n, false, 'payment', 'x', 'pending', 'pending', '{}'
      from generate_series(1000, 1000 + ${MOST_LOOKED_AT}) n`
    await until(async () => (await ids('limit=1'))[0] !== before[0])
    const found = async (query: string) =>
      (await ask(query)).json as { data: object[]; has_more: boolean; continueAfter: string | null }
    const first = await found('event=create&limit=1')
    expect([first.data, first.has_more]).toEqual([[], true])
    const second = await found(`event=create&limit=1&startingAfter=${first.continueAfter}`)
    expect([second.data.length, second.has_more, second.continueAfter]).toEqual([1, true, null])
    await server.sql`delete from transitions where event = 'x'`
  })

  test('400: values that are not allowed', async () => {
    const { id } = await makePayment(server.api, { ...lamps, livemode: false }, 'new')
    for (const query of [
      'kind=lamp',
      'actor=usr_1',
      'actor=x',
      'merchantId=x',
      'order=x',
      'color=red',
      'livemode=true',
    ])
      expect([query, (await ask(query)).status]).toEqual([query, 400])
    for (const cursor of [id, `${id}:9`, `${id}:0`, 'x:1', `${id}:1:1`])
      expect([cursor, (await ask(`startingAfter=${cursor}`)).text]).toEqual([
        cursor,
        expect.stringContaining('"invalid_cursor"'),
      ])
  })
})
