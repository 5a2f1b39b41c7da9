import { afterAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { deliveryRoutes } from '../../src/http/deliveries.ts'
import { inboxRoutes } from '../../src/http/inbox.ts'
import { webhookEndpointRoutes } from '../../src/http/webhook-endpoints.ts'
import { decodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { openPoster } from '../../src/webhooks/post.ts'
import { openSender } from '../../src/webhooks/sender.ts'
import { signedHeaders } from '../../src/webhooks/signature.ts'
import { apiServer } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { member, type Shop, shop } from './people.ts'
import { call, type Delivery, type Endpoint, errorOf, type Listed, publishPaymentEvents } from './webhooks.ts'

const PUBLIC_URL = 'https://pay.lamps.example'
const server = await apiServer({
  routes: [...webhookEndpointRoutes, ...deliveryRoutes, ...inboxRoutes],
  env: { PUBLIC_URL, CHECKOUT_RATE_LIMIT: '0' },
})
// The rules of a new installation: the server sends nothing to its own machine.
const poster = openPoster({ rules: server.api.settings.webhooks })
const sender = openSender(server.api, { keyring: server.api.keyring, poster, stopGraceMs: 0 })
afterAll(async () => {
  await sender.stop()
  expect(await audit(server.sql, kinds)).toEqual([])
  await server[Symbol.asyncDispose]()
})

type Inbox = Endpoint & { readonly inbox: boolean; readonly signingSecret: string }
type Kept = {
  readonly id: string
  readonly receivedAt: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signatureValid: boolean
}

const path = 'webhook-endpoints'
const json = { inbox: true, eventTypes: ['payment.created'] }
const make = (at: Shop, changes: object = {}) =>
  call<Inbox>(server, at, 'POST', path, { json: { ...json, ...changes } })
const keptBy = async (at: Shop, { id }: Pick<Inbox, 'id'>) =>
  (await call<Listed<Kept>>(server, at, 'GET', `${path}/${id}/inbox`)).record.data
const post = (inbox: Inbox, body: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}) =>
  server.call('POST', new URL(inbox.url).pathname, {
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })

describe('POST', () => {
  test('201: an endpoint in test mode with a URL of this server', async () => {
    const lamps = await shop(server.api)
    const { status, record } = await make(lamps)
    const { signingSecret, ...inbox } = record
    expect(status).toBe(201)
    expect(inbox).toMatchObject({ inbox: true, livemode: false, status: 'enabled', eventTypes: json.eventTypes })
    expect(inbox.url).toMatch(/^https:\/\/pay\.lamps\.example\/sandbox\/inbox\/[A-Za-z0-9_-]{43}$/)
    expect((await call<Inbox>(server, lamps, 'GET', `${path}/${inbox.id}`)).record).toEqual(inbox as Inbox)
    expect(await keptBy(lamps, inbox)).toEqual([])
  })

  test('409: a second one, also at the same time; possible again after it was deleted', async () => {
    const lamps = await shop(server.api)
    const answers = await Promise.all([make(lamps), make(lamps), make(lamps)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const first = answers.find(({ status }) => status === 201)?.record
    await call(server, lamps, 'DELETE', `${path}/${first?.id}`)
    expect((await make(lamps)).status).toBe(201)
    expect((await make(await shop(server.api, 'Chairs'))).status).toBe(201)
  })

  test.each<[string, object, number, string, string | undefined]>([
    ['with a url', { url: 'https://192.0.9.1/' }, 400, 'parameter_invalid', 'url'],
    ['without a url and without inbox', { inbox: false }, 400, 'parameter_missing', 'url'],
    ['in live mode', { livemode: true }, 403, 'sandbox_only', undefined],
    ['as text', { inbox: 'true' }, 400, 'parameter_invalid', 'inbox'],
  ])('refused %s', async (_, changes, status, code, param) => {
    const lamps = await shop(server.api)
    const answer = await make(lamps, changes)
    expect([answer.status, errorOf(answer)]).toMatchObject([status, { code, ...(param && { param }) }])
    expect((await call<Listed<Endpoint>>(server, lamps, 'GET', path)).record.data).toEqual([])
  })
})

test('PATCH 400: its URL does not change; its types do', async () => {
  const lamps = await shop(server.api)
  const { record } = await make(lamps)
  const change = (json: object) => call<Inbox>(server, lamps, 'PATCH', `${path}/${record.id}`, { json })
  expect(errorOf(await change({ url: 'https://192.0.9.1/' }))).toMatchObject({
    code: 'parameter_invalid',
    param: 'url',
  })
  expect((await change({ eventTypes: ['payment.late'] })).record).toMatchObject({ url: record.url, inbox: true })
})

describe('deliveries', () => {
  test('arrive with a valid signature, although no other address of this server can be reached', async () => {
    const lamps = await shop(server.api)
    const { record: inbox } = await make(lamps)
    await publishPaymentEvents(server.api, lamps)
    await call(server, lamps, 'POST', `${path}/${inbox.id}/test`)
    sender.wake()
    const kept = await until(async () => {
      const found = await keptBy(lamps, inbox)
      return found.length === 2 ? found : undefined
    })
    expect(kept.map(({ body }) => JSON.parse(body).type).sort()).toEqual(['payment.created', 'webhook_endpoint.test'])
    expect(kept.map(({ signatureValid }) => signatureValid)).toEqual([true, true])
    expect(kept[0]?.headers).toMatchObject({ host: 'pay.lamps.example', 'content-type': 'application/json' })
    expect(kept[0]?.headers['service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    const delivered = await until(async () => {
      const { record } = await call<Listed<Delivery>>(server, lamps, 'GET', `${path}/${inbox.id}/deliveries`)
      return record.data.every(({ status }) => status === 'delivered') ? record.data : undefined
    })
    expect(delivered[0]?.attempts).toMatchObject([
      { outcome: 'delivered', httpStatus: 200, responseSnippet: '{"received":true}' },
    ])
  })

  test('to the URL of an inbox, by an endpoint that is none, are refused', async () => {
    const lamps = await shop(server.api)
    const { record: inbox } = await make(lamps)
    const { record: other } = await call(server, lamps, 'POST', path, {
      json: { url: 'https://192.0.9.1/', eventTypes: json.eventTypes },
    })
    const { pathname } = new URL(inbox.url)
    for (const url of [`${server.url}${pathname}`, `https://127.0.0.1${pathname}`]) {
      expect(errorOf(await call(server, lamps, 'PATCH', `${path}/${other.id}`, { json: { url } }))?.param).toBe('url')
      // Not even if it gets there: only the row of the inbox itself decides.
      await server.sql`update webhook_endpoints set url = ${url}, updated_at = now() where id = ${decodeId('whe', other.id) ?? ''}`
      const { record: sent } = await call<Delivery>(server, lamps, 'POST', `${path}/${other.id}/test`)
      sender.wake()
      await until(async () => {
        const { record } = await call<Delivery>(server, lamps, 'GET', `deliveries/${sent.id}`)
        return record.status === 'failed'
      })
    }
    expect(await keptBy(lamps, inbox)).toEqual([])
  })

  test('the latest 100 are kept', async () => {
    const lamps = await shop(server.api)
    const { record: inbox } = await make(lamps)
    for (let n = 0; n < 103; n++) expect((await post(inbox, `{"n":${n}}`)).status).toBe(200)
    const kept = await keptBy(lamps, inbox)
    expect(kept.map(({ body }) => JSON.parse(body).n)).toEqual(Array.from({ length: 100 }, (_, n) => 102 - n))
    const [{ count } = { count: 0 }] = await server.sql<{ count: number }[]>`
      select count(*)::int from inbox_requests where endpoint_id = ${decodeId('whe', inbox.id) ?? ''}`
    expect(count).toBe(100)
    await call(server, lamps, 'DELETE', `${path}/${inbox.id}`)
    const left = await server.sql`select from inbox_requests where endpoint_id = ${decodeId('whe', inbox.id) ?? ''}`
    expect(left).toHaveLength(0)
    expect((await post(inbox, '{}')).status).toBe(404)
  })
})

describe('requests from elsewhere', () => {
  test('are kept as they are, with the same answer, and without cookies and credentials', async () => {
    const lamps = await shop(server.api)
    const { record: inbox } = await make(lamps)
    const hidden = { cookie: 'a=secret', authorization: 'Bearer secret' }
    const bodies = ['{"a": 1}', 'no json', '', '\u0000\u2028<script>']
    const answers = []
    for (const body of bodies) answers.push(await post(inbox, body, { ...hidden, 'x-own': '1' }))
    expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(bodies.map(() => '200 {"received":true}'))
    const kept = (await keptBy(lamps, inbox)).toReversed()
    expect(kept.map(({ body }) => body)).toEqual(bodies.map(body => body.replace('\0', '\u{fffd}')))
    expect(kept.map(({ signatureValid }) => signatureValid)).toEqual(bodies.map(() => false))
    expect(kept[0]?.headers).toMatchObject({ 'x-own': '1' })
    expect(JSON.stringify(kept)).not.toContain('secret')
  })

  test('have a valid signature only by the secret, over the body, and at about this time', async () => {
    const lamps = await shop(server.api)
    const { record: inbox } = await make(lamps)
    const body = '{"id":"1"}'
    const secrets = [inbox.signingSecret]
    const headersAt = (seconds: number, with_ = secrets) =>
      signedHeaders({ secrets: with_, id: '1', body, at: new Date(Date.now() + seconds * 1_000) })
    for (const headers of [headersAt(0), headersAt(-200), headersAt(-400), headersAt(400), headersAt(0, ['whsec_x'])])
      await post(inbox, body, headers)
    await post(inbox, `${body} `, headersAt(0))
    expect((await keptBy(lamps, inbox)).toReversed().map(({ signatureValid }) => signatureValid)).toEqual([
      ...[true, true, false, false, false, false],
    ])
    const rotated = await call<Inbox>(server, lamps, 'POST', `${path}/${inbox.id}/rotate-secret`)
    await post(inbox, body, headersAt(0))
    await post(inbox, body, headersAt(0, [rotated.record.signingSecret]))
    expect((await keptBy(lamps, inbox)).slice(0, 2).map(({ signatureValid }) => signatureValid)).toEqual([true, true])
  })

  test('413 and 415, and 404 without an inbox', async () => {
    const lamps = await shop(server.api)
    const { record: inbox } = await make(lamps)
    expect((await post(inbox, 'x'.repeat(64 * 1024 + 1))).status).toBe(413)
    expect((await post(inbox, '{}', { 'content-type': 'text/plain' })).status).toBe(415)
    for (const token of ['x', `${inbox.url.slice(-43, -1)}_`, '%00', inbox.id])
      expect((await post({ ...inbox, url: `${PUBLIC_URL}/sandbox/inbox/${token}` }, '{}')).status).toBe(404)
    expect(await keptBy(lamps, inbox)).toEqual([])
  })
})

describe('GET /:id/inbox', () => {
  test('200 for a viewer; 404 for other merchants, and for an endpoint that is no inbox', async () => {
    const [lamps, chairs] = [await shop(server.api), await shop(server.api, 'Chairs')]
    const { record: inbox } = await make(lamps)
    const viewer = await member(server.api, lamps, 'viewer')
    const read = (at: Shop, id: string, as = at.owner) => call(server, at, 'GET', `${path}/${id}/inbox`, { as })
    expect((await read(lamps, inbox.id, viewer)).status).toBe(200)
    expect((await read(chairs, inbox.id)).status).toBe(404)
    const { record: other } = await call(server, lamps, 'POST', path, {
      json: { url: 'https://192.0.9.1/', eventTypes: json.eventTypes },
    })
    expect((await read(lamps, other.id)).status).toBe(404)
  })
})
