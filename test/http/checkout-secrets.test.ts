import { expect, test } from 'bun:test'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { contentsOf } from './contents.ts'
import { makeLink } from './links.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { makePayment } from './payments.ts'
import { twoShops } from './two-shops.ts'

const isOfCustomers = ({ access, path }: Route) =>
  access.by === 'anybody' && access.checkout && !/^\/(sandbox\/inbox|v1\/exports)\//.test(path)
const customers = routes.filter(isOfCustomers)
const each = (of: readonly Route[]) => of.map(route => [`${route.method} ${route.path}`, route] as const)
const byLink = customers.filter(({ path }) => path.includes(':linkId'))
const byToken = customers.filter(({ path }) => path.includes('/:token'))
const byPlan = customers.filter(({ path }) => path.includes('/plans/:planId'))
const bySecret = customers.filter(({ path }) => path.includes('/payments/:id'))

const { server, lamps, key } = await twoShops({ routes, env: { CHECKOUT_RATE_LIMIT: '0' } })
const whose = { ...lamps, livemode: false }
const { id: linkId } = await makeLink(server.api, whose)

/** The bodies that the customer routes accept. */
const bodies: Readonly<Record<string, object>> = {
  'POST /v1/checkout/links/:linkId/payments': { customerEmail: 'ada@example.com' },
  'POST /v1/checkout/payments/:id/asset': { chainId: 31337, asset: 'TUSD' },
  'POST /v1/checkout/payments/:id/simulate': { scenario: 'paid' },
  'POST /v1/checkout/payments/:id/transaction': { txHash: `0x${'7'.repeat(64)}` },
}

type Shown = { readonly header?: string; readonly query?: string; readonly body?: string }

const ask = (route: Route, id: string, { header, query, body }: Shown = {}) => {
  const json = bodies[`${route.method} ${route.path}`]
  return server.call(
    route.method,
    route.path.replace(/:\w+/, id) + (query === undefined ? '' : `?clientSecret=${query}`),
    {
      ...(json && { json: { ...json, ...(body !== undefined && { clientSecret: body }) } }),
      headers: { ...(header !== undefined && { 'client-secret': header }) },
    },
  )
}

const opened = async () => {
  const { status, json } = await server.call('POST', `/v1/checkout/links/${linkId}/payments`, {
    json: { customerEmail: 'ada@example.com' },
  })
  expect(status).toBe(201)
  return json as { payment: { id: string }; clientSecret: string }
}

test('every customer route is addressed by a link, a plan, a payment, or the token of an invoice or a subscription', () => {
  expect(byLink.length + byPlan.length + bySecret.length + byToken.length).toBe(customers.length)
  expect([byLink.length, byPlan.length, bySecret.length, byToken.length]).toEqual([2, 1, 5, 7])
})

test.each(each(byLink))('%s answers unknown links and ids of other kinds alike', async (_, route) => {
  await expectMissing(id => ask(route, id), [...namesNothing(linkId), (await opened()).payment.id])
})

test.each(each(bySecret))('%s answers 404 without the secret, as if the payment did not exist', async (_, route) => {
  const [mine, theirs] = [await opened(), await opened()]
  // A payment that no customer has opened has no secret.
  const { id: withoutSecret } = await makePayment(server.api, whose, 'picked')
  const { id } = mine.payment
  const { clientSecret } = mine
  const unchanged = await contentsOf(server.sql)
  const missing = [...namesNothing(id), theirs.payment.id, withoutSecret]
  const said = await expectMissing(other => ask(route, other, { header: clientSecret }), missing)
  const expectSame = async (shown: Shown) =>
    expect(await expectMissing(other => ask(route, other, shown), [id, withoutSecret])).toBe(said)

  await expectSame({})
  const near = [
    clientSecret.slice(0, -1),
    `${clientSecret}A`,
    clientSecret.toUpperCase(),
    clientSecret.slice(id.length),
  ]
  for (const wrong of [theirs.clientSecret, ...near, id, key, '', 'x', '0'.repeat(400)]) {
    await expectSame({ header: wrong })
    await expectSame({ query: wrong })
    if (route.body) await expectSame({ body: wrong })
  }
  expect(await contentsOf(server.sql)).toEqual(unchanged)
})

test('neither the secret nor a wrong secret is stored', async () => {
  const { payment, clientSecret } = await opened()
  for (const route of bySecret) await ask(route, payment.id, { header: `${clientSecret}-wrong` })
  const kept = JSON.stringify(await contentsOf(server.sql))
  expect(kept).toContain('checkouts')
  for (const part of [clientSecret, clientSecret.split('_secret_')[1] ?? '?', '-wrong'])
    expect(kept).not.toContain(part)
})
