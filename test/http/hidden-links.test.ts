import { describe, expect, test } from 'bun:test'
import { openCheckout } from '../../src/commands/checkouts.ts'
import { encodeId } from '../../src/ids.ts'
import { findLinkOf } from '../../src/queries/checkouts.ts'
import { checkoutServer } from './checkouts.ts'
import { makeHiddenLink, makeLink } from './links.ts'
import { shop } from './people.ts'

const { server, lamps, ask, page } = await checkoutServer()
const { api } = server
const mode = { livemode: false }

type Listed = { readonly id: string; readonly hidden: boolean }
const bearer = lamps.owner.bearer
const surfaces = [
  ['by key', {}],
  ['by member', { path: lamps.path, bearer }],
] as const

const openOn = async (actor: string, amountMinor = 1000) => {
  const visited = await findLinkOf(server.sql, { paymentLinkId: actor, amountMinor })
  if (!visited) throw new Error('the link is missing')
  const payer = { customerEmail: 'ada@example.com', customerName: null }
  const { payment, clientSecret } = await openCheckout(api, visited, payer, { asset: undefined })
  return { id: encodeId('pay', payment.id), payment, clientSecret }
}

describe('the link of an invoice', () => {
  test.each(surfaces)('is listed with hidden=true only, and read by its id, %s', async (_, asked) => {
    const made = await shop(api)
    const [hidden, other] = [
      await makeHiddenLink(api, { ...lamps, ...mode }),
      await makeLink(api, { ...lamps, ...mode }),
    ]
    await makeHiddenLink(api, { ...made, ...mode })
    const idsIn = async (query: string) =>
      (await page<Listed>(`/payment-links?${query}`, asked)).data.map(({ id }) => id)
    for (const query of ['limit=2', 'status=active', 'hidden=false', `createdAfter=2020-01-01T00:00:00.000Z`]) {
      const found = await idsIn(query)
      expect([query, found.includes(hidden.id), found.includes(other.id)]).toEqual([query, false, true])
    }
    for (const query of ['limit=1', 'status=active', 'createdAfter=2020-01-01T00:00:00.000Z', `q=${hidden.id}`])
      expect((await idsIn(`hidden=true&${query}`))[0]).toBe(hidden.id)
    expect(await idsIn(`q=${hidden.id}`)).toEqual([])
    expect(await ask('GET', '/payment-links?hidden=yes', asked)).toMatchObject({
      ...{ status: 400, error: { code: 'parameter_invalid', param: 'hidden' } },
    })
    expect((await ask('GET', `/payment-links/${hidden.id}`, asked)).json).toMatchObject({
      ...{ status: 'active', hidden: true, maxPayments: null, expiresAt: null },
    })
  })

  test.each(surfaces)('409: it cannot be deactivated, %s', async (_, asked) => {
    const { id } = await makeHiddenLink(api, { ...lamps, ...mode })
    expect(await ask('POST', `/payment-links/${id}/deactivate`, asked)).toMatchObject({
      ...{ status: 409, error: { code: 'state_conflict', details: { status: 'active' } } },
    })
    expect((await ask('GET', `/payment-links/${id}`)).json).toMatchObject({ status: 'active', deactivatedAt: null })
  })

  test('404: for visitors it does not exist, also with the secret of one of its payments', async () => {
    const { id, actor } = await makeHiddenLink(api, { ...lamps, ...mode })
    const { id: paymentId, clientSecret } = await openOn(actor)
    const headers = {
      ...{ accept: 'text/html', origin: api.settings.publicUrl },
      cookie: `paymachine_pay=${clientSecret}; paymachine_latest=${clientSecret}`,
    }
    const form = {
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'email=a%40b.de',
    }
    const statuses = [
      server.call('GET', `/v1/checkout/links/${id}`),
      server.call('POST', `/v1/checkout/links/${id}/payments`, { json: { customerEmail: 'ada@example.com' } }),
      server.call('GET', `/pay/${id}`, { headers }),
      server.call('POST', `/pay/${id}`, form),
      server.call('GET', `/pay/${id}/${paymentId}`, { headers }),
      server.call('GET', `/pay/${id}/${paymentId}?s=${clientSecret}`, { headers }),
      server.call('GET', `/pay/${id}/${paymentId}/stream`, { headers }),
      ...['asset', 'transaction', 'again', 'simulate'].map(action =>
        server.call('POST', `/pay/${id}/${paymentId}/${action}`, { ...form, body: '' }),
      ),
    ]
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual(statuses.map(() => 404))
    const [row] = await server.sql`select payments_opened from payment_links where id = ${actor}`
    expect(row).toEqual({ payments_opened: 1 })
  })

  test('its payments are read and get their prices by their own amounts', async () => {
    const { actor } = await makeHiddenLink(api, { ...lamps, ...mode })
    const { id, clientSecret } = await openOn(actor, 250)
    const path = `/v1/checkout/payments/${id}`
    const headers = { 'client-secret': clientSecret }
    expect((await server.call('GET', path, { headers })).json).toMatchObject({ amountMinor: 250 })
    const picked = await server.call('POST', `${path}/asset`, { headers, json: { chainId: 31337, asset: 'TUSD' } })
    expect(picked.json).toMatchObject({ crypto: { amountExpected: '2500000' } })
  })
})
