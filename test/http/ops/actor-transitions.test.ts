import { describe, expect, test } from 'bun:test'
import { routes } from '../../../src/http/routes.ts'
import { encodeId } from '../../../src/ids.ts'
import { openPayment, seen } from '../payments.ts'
import { operator } from '../people.ts'
import { twoShops } from '../two-shops.ts'
import { makeEndpoint, sendTest } from '../webhooks.ts'

const { server, lamps } = await twoShops({ routes })
const { bearer } = await operator(server.api)

type Entry = { readonly id: string; readonly event: string; readonly from: string | null; readonly to: string }
type List = { readonly data: readonly Entry[]; readonly has_more: boolean }

const list = async (id: string, query = '') => {
  const { status, json } = await server.call('GET', `/v1/ops/actors/${id}/transitions${query}`, { bearer })
  return { status, ...(json as List) }
}

describe('GET /v1/ops/actors/:id/transitions', () => {
  test('200: the transitions of a payment of any merchant, oldest first, with cause and context', async () => {
    const { id, actor } = await openPayment(server.api, { merchantId: lamps.merchantId, livemode: false })
    const event = seen('too_little_seen', 1n)
    await server.api.actors.dispatch({ kind: 'payment', actor, event, cause: lamps.owner.id })
    const { data, has_more } = await list(id)
    expect(data.map(({ id, event, from, to }) => [id, event, from, to])).toEqual([
      [`${id}:1`, 'create', null, 'pending'],
      [`${id}:2`, 'asset_picked', 'pending', 'pending'],
      [`${id}:3`, 'too_little_seen', 'pending', 'pending'],
    ])
    expect(has_more).toBe(false)
    expect(data[2]).toMatchObject({
      object: 'transition',
      kind: 'payment',
      actorId: id,
      merchantId: lamps.path.split('/').at(-1),
      rev: 3,
      // Without the e-mail address that the history of members shows.
      cause: { type: 'member', id: lamps.owner.id, name: null },
      context: { amountReceived: '1', exception: 'underpaid' },
    })
    expect((await list(id, '?limit=1')).has_more).toBe(true)
    expect((await list(id, `?startingAfter=${id}:1&limit=1`)).data[0]?.event).toBe('asset_picked')
    expect((await list(id, '?order=desc')).data[0]?.event).toBe('too_little_seen')
  })

  test('200: the creation of a delivery, which another table records', async () => {
    const delivery = await sendTest(server.api, lamps, (await makeEndpoint(server.api, lamps, { livemode: false })).row)
    await server.api.actors.dispatch({ kind: 'delivery', actor: delivery, event: { type: 'cancel' } })
    const { data } = await list(encodeId('whd', delivery))
    expect(data.map(({ event, to }) => `${event} ${to}`)).toEqual(['create pending', 'cancel canceled'])
  })

  test('400: a cursor of another actor', async () => {
    const one = await openPayment(server.api, { merchantId: lamps.merchantId, livemode: false })
    const two = await openPayment(server.api, { merchantId: lamps.merchantId, livemode: true })
    for (const cursor of [`${two.id}:1`, `${one.id}:3`, `${one.id}:0`, one.id])
      expect((await list(one.id, `?startingAfter=${cursor}`)).status).toBe(400)
  })
})
