import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Type, type } from 'arktype'
import { schemaOf } from '../../src/http/openapi/schema.ts'
import { routes } from '../../src/http/routes.ts'
import { encodeId } from '../../src/ids.ts'
import { pageRoutes } from '../../src/server/page-routes.ts'
import { insertKey } from '../access/keys.ts'
import { type ApiServer, apiServer } from '../harness/api.ts'
import { expire, secretOf, send as sendForm, visit } from './claims.ts'
import { makeCustomer } from './customers.ts'
import { makeDispute } from './disputes.ts'
import { makeLink } from './links.ts'
import { paid } from './payments.ts'
import { type Shop, shop } from './people.ts'
import { customerAddress, makeRefund } from './refunds.ts'

let server: ApiServer
let lamps: Shop
let key: string
let link: string
let payment: string
let dispute: string
let endpoint: string
let customer: string

const newEmail = () => `${crypto.randomUUID()}@lamps.example`
const invoice = {
  get customer() {
    return { email: newEmail() }
  },
  currency: 'EUR',
  lines: [{ description: 'A lamp', unitAmountMinor: 100 }],
}
const address = { line1: '12 Byron Street', city: 'London', postalCode: 'N1 7AA', country: 'GB' }

beforeAll(async () => {
  server = await apiServer({
    routes: [...routes, ...pageRoutes(routes)],
    env: { SIGN_UP: 'open', CHECKOUT_RATE_LIMIT: '0', API_RATE_LIMIT_TEST: '0', WEBHOOK_ALLOW: '127.0.0.0/8' },
  })
  lamps = await shop(server.api, 'מנורות')
  key = (await insertKey(server.sql, lamps)).secret
  link = (
    await makeLink(
      server.api,
      { merchantId: lamps.merchantId, livemode: false },
      { title: 'مصباح', description: 'نحاس' },
    )
  ).id
  const mode = { merchantId: lamps.merchantId, livemode: false }
  payment = encodeId('pay', (await paid(server.api, mode)).actor)
  customer = (await makeCustomer(server.api, mode)).id
  dispute = await makeDispute(server.api, mode, { submit: false })
  const { json } = await byOwner('POST', '/webhook-endpoints', {
    url: 'https://127.0.0.1/',
    eventTypes: ['payment.succeeded'],
  })
  endpoint = (json as { id: string }).id
})
afterAll(() => server[Symbol.asyncDispose]())

/** Requests that write the text to the field, by a member, a key or a customer. */
const places: readonly (readonly [
  field: string,
  send: (text: string) => Promise<{ status: number; json: unknown }>,
])[] = [
  [
    'merchantName',
    merchantName =>
      server.call('POST', '/v1/auth/sign-up', {
        json: { email: `${crypto.randomUUID()}@lamps.example`, password: 'correct horse battery', merchantName },
      }),
  ],
  ['name', name => byOwner('PATCH', '/settings', { name })],
  ['name', name => byOwner('POST', '/api-keys', { name, access: 'full' })],
  ...['legalName', 'taxId', 'notes'].map(
    field => [field, (text: string) => byOwner('PATCH', '/settings/billing', { [field]: text })] as const,
  ),
  ...['line1', 'line2', 'city', 'postalCode', 'state'].map(
    field =>
      [
        `address.${field}`,
        (text: string) =>
          byOwner('PATCH', '/settings/billing', {
            address: { line1: 'x', city: 'x', postalCode: 'x', country: 'GB', [field]: text },
          }),
      ] as const,
  ),
  [
    'description',
    description =>
      byOwner('POST', '/webhook-endpoints', {
        url: 'https://127.0.0.1/',
        eventTypes: ['payment.succeeded'],
        description,
      }),
  ],
  ['description', description => byOwner('PATCH', `/webhook-endpoints/${endpoint}`, { description })],
  [
    'url',
    text =>
      byOwner('PATCH', `/webhook-endpoints/${endpoint}`, { url: `https://127.0.0.1/${text.replaceAll(' ', '')}` }),
  ],
  ['title', title => byKey('/v1/payment-links', { amountMinor: 100, currency: 'USD', title })],
  ['description', description => byKey('/v1/payment-links', { amountMinor: 100, currency: 'USD', description })],
  ['reference', reference => byKey('/v1/payment-links', { amountMinor: 100, currency: 'USD', reference })],
  ...(['name', 'company', 'taxId', 'reference'] as const).map(
    field => [field, (text: string) => byKey('/v1/customers', { email: newEmail(), [field]: text })] as const,
  ),
  ...(['line1', 'line2', 'city', 'postalCode', 'state'] as const).map(
    field =>
      [
        `address.${field}`,
        (text: string) => byKey('/v1/customers', { email: newEmail(), address: { ...address, [field]: text } }),
      ] as const,
  ),
  ...['reference', 'orderNumber', 'notes'].map(
    field => [field, (text: string) => byKey('/v1/invoices', { ...invoice, [field]: text })] as const,
  ),
  ...['description', 'taxNote'].map(
    field =>
      [
        `lines.0.${field}`,
        (text: string) => byKey('/v1/invoices', { ...invoice, lines: [{ ...invoice.lines[0], [field]: text }] }),
      ] as const,
  ),
  ...['name', 'company', 'taxId', 'reference'].map(
    field =>
      [
        `customer.${field}`,
        (text: string) => byKey('/v1/invoices', { ...invoice, customer: { email: newEmail(), [field]: text } }),
      ] as const,
  ),
  ...['line1', 'line2', 'city', 'postalCode', 'state'].map(
    field =>
      [
        `customer.address.${field}`,
        (text: string) =>
          byKey('/v1/invoices', {
            ...invoice,
            customer: { email: newEmail(), address: { ...address, [field]: text } },
          }),
      ] as const,
  ),
  ['note', note => byOwner('POST', `/customers/${customer}/credit`, { currency: 'EUR', amountMinor: 100, note })],
  ['description', description => byKey(`/v1/payments/${payment}/disputes`, { reason: 'general', description })],
  ...['uncategorizedText', 'customerCommunication', 'shippingTrackingNumber', 'refundPolicy'].map(
    field => [field, (text: string) => byKey(`/v1/disputes/${dispute}/evidence`, { [field]: text })] as const,
  ),
  [
    'customerName',
    customerName =>
      server.call('POST', `/v1/checkout/links/${link}/payments`, {
        json: { customerEmail: 'ada@example.com', customerName },
      }),
  ],
]
const byOwner = (method: string, path: string, json: object) =>
  server.call(method, lamps.path + path, { bearer: lamps.owner.bearer, json })
const byKey = (path: string, json: object) => server.call('POST', path, { bearer: key, json })

const controls = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'

test.each(places)('a %s with a bidirectional control character is answered 400', async (field, send) => {
  for (const control of controls) {
    const { status, json } = await send(`Lamp ${control}00.1$`)
    expect([control.codePointAt(0), status, json]).toMatchObject([
      ...[control.codePointAt(0), 400, { error: { code: 'parameter_invalid', param: field } }],
    ])
  }
})

/** Secrets, names of existing objects, and addresses and patterns, which a handler parses. */
const exempt: readonly string[] = [
  ...['code', 'password', 'currentPassword', 'newPassword', 'signUpCode', 'token', 'clientSecret'],
  ...['asset', 'destination', 'address', 'signature', 'url', 'numberPattern'],
]

test('no other text field of a body accepts a control character', () => {
  // The handler of a form checks what was typed, by the same rules, and shows the form again: test/web/pay/routes.test.ts.
  const checked = [...routes, ...pageRoutes(routes)].filter(({ form }) => !form)
  const found = checked.flatMap(({ method, path, body }) =>
    fieldsIn(body).flatMap(({ name, rule }) =>
      acceptsControls(rule) && !exempt.includes(name) ? [`${name} of ${method} ${path}`] : [],
    ),
  )
  expect(found).toEqual([])
})

const acceptsControls = (rule: Type): boolean => !(rule('Lamp \u202e00.1$ and lights') instanceof type.errors)

type Field = { readonly name: string; readonly rule: Type }

/** The text fields of a body. Metadata, which may have any names, is data for the merchant's programs. */
const fieldsIn = (body: Type | undefined): readonly Field[] =>
  Object.entries((body ? schemaOf(body).properties : undefined) ?? {}).flatMap(([name, schema]) => {
    const rule = (body as Type<Record<string, unknown>>).get(name) as Type
    return 'properties' in schema ? fieldsIn(rule) : mayBeText(schema) ? [{ name, rule }] : []
  })

const mayBeText = (schema: object): boolean =>
  'anyOf' in schema ? (schema.anyOf as object[]).some(mayBeText) : 'type' in schema && schema.type === 'string'

test('right-to-left names without control characters are accepted and kept', async () => {
  const { status, json } = await byKey('/v1/payment-links', {
    amountMinor: 100,
    currency: 'USD',
    title: 'מנורת שולחן 👩‍👩‍👦',
  })
  expect([status, json]).toMatchObject([201, { title: 'מנורת שולחן 👩‍👩‍👦' }])
})

/** How often the body of a page shows the text in an element that isolates it from the text around it, and otherwise. */
const shown = ({ text: page }: { readonly text: string }, text: string) => {
  const body = page.slice(page.indexOf('<body'))
  const isolated = [...body.matchAll(new RegExp(`<(?:bdi|p [^<>]*dir="auto")>${text}</`, 'g'))].length
  return { isolated, bare: body.split(text).length - 1 - isolated }
}

test("the page of a payment link isolates the merchant's texts from the text around them", async () => {
  const page = await server.call('GET', `/pay/${link}`)
  for (const part of ['מנורות', 'مصباح', 'نحاس']) {
    const { isolated, bare } = shown(page, part)
    expect([part, isolated > 0, bare]).toEqual([part, true, 0])
  }
})

test("every page of a claim isolates the merchant's name", async () => {
  const claimed = async () => {
    const id = await makeRefund(server.api, { merchantId: lamps.merchantId, livemode: false })
    const { json } = await server.call('GET', `${lamps.path}/refunds/${id}`, { bearer: lamps.owner.bearer })
    return { id, secret: secretOf((json as { claimUrl: string }).claimUrl) }
  }
  const [{ secret }, over] = [await claimed(), await claimed()]
  await expire(server.api, over.id)
  const other = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
  const pages = [
    [200, 1, await visit(server, secret)],
    [422, 1, await sendForm(server, secret, { address: '0x12' })],
    [200, 1, await sendForm(server, secret, { address: customerAddress })],
    [200, 2, await sendForm(server, secret, { address: customerAddress, confirmed: 'yes' })],
    [200, 2, await visit(server, secret)],
    [409, 2, await sendForm(server, secret, { address: other, confirmed: 'yes' })],
    [410, 2, await visit(server, over.secret)],
  ] as const
  for (const [status, isolated, page] of pages)
    expect([page.status, shown(page, 'מנורות')]).toEqual([status, { isolated, bare: 0 }])
})
