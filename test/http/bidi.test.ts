import { afterAll, beforeAll, expect, test } from 'bun:test'
import { pageRoutes } from '../../src/http/pages.ts'
import { routes } from '../../src/http/routes.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiHouse, apiHouse } from '../harness/api.ts'
import { makeLink } from './links.ts'
import { type Shop, shop } from './people.ts'

let to: ApiHouse
let lamps: Shop
let key: string
let link: string

beforeAll(async () => {
  to = await apiHouse({ routes: [...routes, ...pageRoutes(routes)], env: { SIGN_UP: 'open' } })
  lamps = await shop(to.api, 'מנורות')
  key = (await insertKey(to.sql, lamps)).secret
  link = (
    await makeLink(to.api, { merchantId: lamps.merchantId, livemode: false }, { title: 'مصباح', description: 'نحاس' })
  ).id
})
afterAll(() => to[Symbol.asyncDispose]())

/** What makes a record with the text in the field, by a member, a key, or a customer. */
const places: readonly (readonly [
  field: string,
  send: (text: string) => Promise<{ status: number; json: unknown }>,
])[] = [
  [
    'merchantName',
    merchantName =>
      to.call('POST', '/v1/auth/sign-up', {
        json: { email: `${crypto.randomUUID()}@lamps.example`, password: 'correct horse battery', merchantName },
      }),
  ],
  ['name', name => byOwner('PATCH', '/settings', { name })],
  ['name', name => byOwner('POST', '/api-keys', { name, access: 'full' })],
  [
    'description',
    description =>
      byOwner('POST', '/webhook-endpoints', {
        url: 'https://192.0.2.1/',
        eventTypes: ['payment.succeeded'],
        description,
      }),
  ],
  ['title', title => byKey('/v1/payment-links', { amountMinor: 100, currency: 'USD', title })],
  ['description', description => byKey('/v1/payment-links', { amountMinor: 100, currency: 'USD', description })],
  [
    'customerName',
    customerName =>
      to.call('POST', `/v1/checkout/links/${link}/payments`, {
        json: { customerEmail: 'ada@example.com', customerName },
      }),
  ],
]
const byOwner = (method: string, path: string, json: object) =>
  to.call(method, lamps.path + path, { bearer: lamps.owner.bearer, json })
const byKey = (path: string, json: object) => to.call('POST', path, { bearer: key, json })

const controls = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'

test.each(places)('a %s with a bidirectional control is 400', async (field, send) => {
  for (const control of controls) {
    const { status, json } = await send(`Lamp ${control}00.1$`)
    expect([control.codePointAt(0), status, json]).toMatchObject([
      ...[control.codePointAt(0), 400, { error: { code: 'parameter_invalid', param: field } }],
    ])
  }
})

test('names written from right to left need none, and are kept', async () => {
  const { status, json } = await byKey('/v1/payment-links', {
    amountMinor: 100,
    currency: 'USD',
    title: 'מנורת שולחן 👩‍👩‍👦',
  })
  expect([status, json]).toMatchObject([201, { title: 'מנורת שולחן 👩‍👩‍👦' }])
})

test('pages isolate what a merchant wrote from the text around it', async () => {
  const { text } = await to.call('GET', `/pay/${link}`)
  for (const part of ['מנורות', 'مصباح', 'نحاس']) expect(text).toContain(`<bdi>${part}</bdi>`)
})
