import { describe, expect, test } from 'bun:test'
import { routes } from '../../../src/http/routes.ts'
import { connect } from '../../../src/postgres/connect.ts'
import { makePayment } from '../payments.ts'
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
