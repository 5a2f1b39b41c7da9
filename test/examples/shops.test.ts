import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { dataFolder } from '../harness/embedded-parent.ts'
import { type Main, spawnMain, startMain } from '../harness/main.ts'
import { until } from '../harness/until.ts'
import { unusedPort } from '../harness/unused-port.ts'

/** A server with the sandbox, a merchant, and an API key of the merchant. */
let server: Main
let merchant: { readonly id: string; readonly token: string; readonly key: string }
const closing = new AsyncDisposableStack()

beforeAll(async () => {
  const folder = closing.use(dataFolder())
  const env = { DATA_DIR: folder.path, SANDBOX: 'on', WEBHOOK_ALLOW: '127.0.0.0/8', CHECKOUT_RATE_LIMIT: '0' }
  server = closing.use(await startMain(env))
  await until(async () => (await readJson(`${server.url}/readyz`)).chains['31337'] === 'ok', {
    what: 'the sandbox chain',
  })
  const owner = { email: 'anna@lamps.example', password: 'correct horse battery', merchantName: 'Lamps' }
  const { accessToken: token, merchants } = await call('/auth/sign-up', owner)
  const { id } = merchants[0]
  const { secret: key } = await call(
    `/merchants/${id}/api-keys`,
    { name: 'The shop', livemode: false, access: 'full' },
    token,
  )
  merchant = { id, token, key }
}, 120_000)

afterAll(() => closing.disposeAsync())

const readJson = async (url: string, bearer?: string) =>
  JSON.parse(await (await fetch(url, { headers: bearer ? { authorization: `Bearer ${bearer}` } : {} })).text())

const call = async (path: string, body: object, bearer?: string) => {
  const answer = await fetch(`${server.url}/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${text}`)
  return JSON.parse(text)
}

/** The example with a webhook endpoint of its own, when it is ready. */
const startShop = async (name: string): Promise<Main> => {
  const port = String(await unusedPort())
  const endpoint = await call(
    `/merchants/${merchant.id}/webhook-endpoints`,
    { url: `http://127.0.0.1:${port}/webhooks`, eventTypes: ['payment.succeeded'], livemode: false },
    merchant.token,
  )
  const shop = await spawnMain(
    {
      PORT: port,
      PAYMACHINE_URL: server.url,
      PAYMACHINE_API_KEY: merchant.key,
      PAYMACHINE_WEBHOOK_SECRET: endpoint.signingSecret,
    },
    { program: fileURLToPath(new URL(`../../examples/${name}/shop.ts`, import.meta.url)) },
  )
  await until(async () => (await shop.get('/'))?.status === 200, { what: `the shop on ${name}` })
  return shop
}

const stateOf = async (shop: Main, order: string): Promise<string> =>
  (await readJson(`${shop.url}/orders/${order}`)).status

test.each(['express', 'hono'])('the shop on %s marks an order as paid by the webhook of its payment', async name => {
  await using shop = await startShop(name)
  const bought = await fetch(`${shop.url}/orders`, { method: 'POST', redirect: 'manual' })
  expect(bought.status).toBe(303)
  const [, linkId = ''] =
    /^http:\/\/127\.0\.0\.1:\d+\/pay\/(plink_\w+)$/.exec(bought.headers.get('location') ?? '') ?? []
  const link = await readJson(`${server.url}/v1/payment-links/${linkId}`, merchant.key)
  expect(link).toMatchObject({ amountMinor: 4900, currency: 'USD', maxPayments: 1, status: 'active' })
  expect(await stateOf(shop, link.reference)).toBe('open')

  // The signature is wrong, so the body is ignored.
  const forged = await fetch(`${shop.url}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'service-signature': `t=1,v1=${'0'.repeat(64)}` },
    body: JSON.stringify({ id: 'e1', type: 'payment.succeeded', data: { object: { reference: link.reference } } }),
  })
  expect(forged.status).toBe(400)
  expect(await stateOf(shop, link.reference)).toBe('open')

  const { payment } = await call(`/checkout/links/${linkId}/payments`, {
    customerEmail: 'ada@example.com',
    chainId: 31337,
    asset: 'TUSD',
  })
  await call(`/sandbox/payments/${payment.id}/simulate`, { scenario: 'paid' }, merchant.key)
  await until(async () => (await stateOf(shop, link.reference)) === 'paid', { what: 'an order that is paid' })
})
