import { afterAll, describe, expect, test } from 'bun:test'
import pino from 'pino'
import { audit } from '../../src/audit/audit.ts'
import { MOST_ENDPOINTS } from '../../src/commands/webhook-endpoints.ts'
import { decodeId } from '../../src/ids.ts'
import { kinds } from '../../src/kinds/all.ts'
import { eventTypes } from '../../src/resources.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../../src/sealed-columns.ts'
import { insertKey } from '../access/keys.ts'
import { events as log } from './api-keys.ts'
import { contentsOf } from './contents.ts'
import { expectNoCursors, expectPages, idsOf } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { forgetProof, member, shop } from './people.ts'
import {
  call,
  type Endpoint,
  errorOf,
  type Listed,
  makeEndpoint,
  publishPaymentEvents,
  startServer,
  url,
} from './webhooks.ts'

const server = await startServer()
afterAll(async () => {
  expect(await audit(server.sql, kinds)).toEqual([])
  await server[Symbol.asyncDispose]()
})

const path = 'webhook-endpoints'
const spec = { url, eventTypes: ['payment.succeeded', 'payment.created'] }
const make = (at: Awaited<ReturnType<typeof shop>>, json: object = {}) =>
  call(server, at, 'POST', path, { json: { ...spec, ...json } })
const secretsOf = async (id: string) => {
  const uuid = decodeId('whe', id) ?? ''
  const [row] = await server.sql<{ sealed_secret: string; previous_sealed_secret: string | null; hours: number }[]>`
    select *, round(extract(epoch from previous_until - updated_at) / 3600)::int as hours
    from webhook_endpoints where id = ${uuid}`
  const open = (sealed: string | null | undefined) =>
    sealed ? server.api.keyring.open(WEBHOOK_SECRET_PURPOSE, uuid, sealed) : null
  return { secret: open(row?.sealed_secret), previous: open(row?.previous_sealed_secret), hours: row?.hours }
}
const deliveriesOf = (endpoint: Endpoint) =>
  server.sql<{ state: string; event_type: string; livemode: boolean }[]>`
    select state, event_type, livemode from deliveries where endpoint_id = ${decodeId('whe', endpoint.id) ?? ''} order by seq`

describe('POST', () => {
  test('201: its secret is shown once, and reads do not have it', async () => {
    const lamps = await shop(server.api)
    const { status, record } = await make(lamps, { description: 'The shop' })
    const { signingSecret = '', ...endpoint } = record
    expect(status).toBe(201)
    expect(endpoint).toMatchObject({
      ...{ ...spec, object: 'webhook_endpoint', description: 'The shop', status: 'enabled', disabledReason: null },
      livemode: false,
    })
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await secretsOf(endpoint.id)).toMatchObject({ secret: signingSecret, previous: null })
    expect((await call(server, lamps, 'GET', `${path}/${endpoint.id}`)).record).toEqual(endpoint)
    expect((await call<Listed<Endpoint>>(server, lamps, 'GET', path)).record.data).toEqual([endpoint])
    expect(await log(server, lamps)).toMatchObject([
      {
        ...{ action: 'webhook_endpoint.created', actor: lamps.owner.id },
        details: { endpointId: endpoint.id, livemode: false, eventTypes: spec.eventTypes },
      },
    ])
    const kept = Object.values(await contentsOf(server.sql)).join('\n')
    expect(kept).toContain(endpoint.id)
    expect(kept).not.toContain(signingSecret.slice(6))
  })

  test('201: in the mode of the body or the query, with any event types', async () => {
    const lamps = await shop(server.api)
    const [inBody, inQuery] = [
      await make(lamps, { livemode: true, eventTypes }),
      await call(server, lamps, 'POST', `${path}?livemode=true`, { json: spec }),
    ]
    expect([inBody.record.livemode, inQuery.record.livemode, inQuery.record.description]).toEqual([true, true, null])
    expect(inBody.record.eventTypes).toEqual(eventTypes)
    expect((await call<Listed<Endpoint>>(server, lamps, 'GET', path)).record.data).toEqual([])
    expect((await call<Listed<Endpoint>>(server, lamps, 'GET', `${path}?livemode=true`)).record.data).toHaveLength(2)
  })

  test.each<[string, object, string, string]>([
    ['no url', { url: undefined }, 'parameter_missing', 'url'],
    ['an invalid url', { url: 'lamps.example' }, 'parameter_invalid', 'url'],
    ['an empty url', { url: '' }, 'parameter_invalid', 'url'],
    ['a url too long', { url: `${url}/${'x'.repeat(2_048)}` }, 'parameter_invalid', 'url'],
    ['plain http', { url: 'http://192.0.9.1/webhooks' }, 'parameter_invalid', 'url'],
    ['a private address', { url: 'https://10.0.0.1/webhooks' }, 'parameter_invalid', 'url'],
    ['this machine', { url: 'https://localhost/webhooks' }, 'parameter_invalid', 'url'],
    ['a password in the url', { url: 'https://a:b@192.0.9.1/webhooks' }, 'parameter_invalid', 'url'],
    ['a closed port', { url: 'https://192.0.9.1:22/webhooks' }, 'parameter_invalid', 'url'],
    ['no types', { eventTypes: undefined }, 'parameter_missing', 'eventTypes'],
    ['an empty list of types', { eventTypes: [] }, 'parameter_invalid', 'eventTypes'],
    ['a wildcard', { eventTypes: ['*'] }, 'parameter_invalid', 'eventTypes.0'],
    ['half a wildcard', { eventTypes: ['payment.*'] }, 'parameter_invalid', 'eventTypes.0'],
    ['an unknown type', { eventTypes: ['payment.succeeded', 'payment.won'] }, 'parameter_invalid', 'eventTypes.1'],
    ['the type of test events', { eventTypes: ['webhook_endpoint.test'] }, 'parameter_invalid', 'eventTypes.0'],
    ['a type twice', { eventTypes: ['refund.failed', 'refund.failed'] }, 'parameter_invalid', 'eventTypes'],
    ['a description too long', { description: 'x'.repeat(1_001) }, 'parameter_invalid', 'description'],
    ['a mode as text', { livemode: 'true' }, 'parameter_invalid', 'livemode'],
    ['a secret', { signingSecret: 'whsec_mine' }, 'parameter_unknown', 'signingSecret'],
  ])('400: %s', async (_, json, code, param) => {
    const lamps = await shop(server.api)
    const answer = await make(lamps, json)
    expect([answer.status, errorOf(answer)]).toMatchObject([400, { code, param }])
    expect((await call<Listed<Endpoint>>(server, lamps, 'GET', path)).record.data).toEqual([])
  })

  test('403: without a recent proof of identity, and for viewers', async () => {
    const lamps = await shop(server.api)
    const [developer, viewer] = [
      await member(server.api, lamps, 'developer'),
      await member(server.api, lamps, 'viewer'),
    ]
    expect((await call(server, lamps, 'POST', path, { json: spec, as: developer })).status).toBe(201)
    expect(errorOf(await call(server, lamps, 'POST', path, { json: spec, as: viewer }))?.code).toBe('insufficient_role')
    await forgetProof(server.api, developer)
    expect(errorOf(await call(server, lamps, 'POST', path, { json: spec, as: developer }))?.code).toBe(
      'step_up_required',
    )
  })

  test('403: for a member removed by another process, although this one has cached the membership', async () => {
    const lamps = await shop(server.api)
    const developer = await member(server.api, lamps, 'developer')
    const { id } = (await make(lamps)).record
    expect((await call(server, lamps, 'GET', path, { as: developer })).status).toBe(200)
    await server.sql`delete from members where account_id = ${developer.accountId}`
    for (const [method, below, json] of [
      ['POST', path, spec],
      ['PATCH', `${path}/${id}`, { url: 'https://192.0.9.2/' }],
      ['POST', `${path}/${id}/rotate-secret`, {}],
      ['POST', `${path}/${id}/test`, {}],
      ['POST', `${path}/${id}/recover`, { since: new Date().toISOString() }],
      ['DELETE', `${path}/${id}`, undefined],
    ] as const)
      expect([below, errorOf(await call(server, lamps, method, below, { json, as: developer }))?.code]).toEqual([
        below,
        'insufficient_role',
      ])
    expect((await call(server, lamps, 'GET', `${path}/${id}`)).record.url).toBe(url)
  })

  test(`409: more than ${MOST_ENDPOINTS} per mode, also simultaneously; a deleted one does not count`, async () => {
    const lamps = await shop(server.api)
    await server.sql`
      select create_webhook_endpoint(gen_random_uuid(), ${lamps.merchantId}, false, ${url}, null, '{payment.late}', 'v1.x',
        ${MOST_ENDPOINTS}, null, 'operator', null, '{}') from generate_series(2, ${MOST_ENDPOINTS})`
    const answers = await Promise.all(Array.from({ length: 4 }, () => make(lamps)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect((await make(lamps, { livemode: true })).status).toBe(201)
    const made = answers.find(({ status }) => status === 201)
    await call(server, lamps, 'DELETE', `${path}/${made?.record.id}`)
    expect((await make(lamps)).status).toBe(201)
  })

  test('API keys cannot manage endpoints', async () => {
    const { path: at, ...lamps } = await shop(server.api)
    const { secret } = await insertKey(server.sql, lamps)
    expect((await server.call('GET', `${at}/${path}`, { bearer: secret })).status).toBe(401)
    expect((await server.call('GET', `/v1/${path}`, { bearer: secret })).status).toBe(404)
  })
})

describe('GET', () => {
  test('200: newest first by pages, oldest first, without deleted ones', async () => {
    const lamps = await shop(server.api)
    const ids: string[] = []
    for (let n = 0; n < 6; n++) ids.push((await make(lamps)).record.id)
    await make(lamps, { livemode: true })
    const list = (query: string) => call<Listed<Endpoint>>(server, lamps, 'GET', `${path}${query}`)
    const gone = ids.splice(4, 1)[0]
    await call(server, lamps, 'DELETE', `${path}/${gone}`)
    await expectPages(async query => (await list(query)).record, ids)
    // A deleted endpoint is still a valid cursor.
    expect(idsOf((await list(`?order=asc&startingAfter=${gone}`)).record)).toEqual(ids.slice(4))
    const other = await shop(server.api, 'Chairs')
    await expectNoCursors(list, [(await make(other)).record.id, (await make(lamps, { livemode: true })).record.id, 'x'])
  })

  test('404: an endpoint of another merchant', async () => {
    const [lamps, chairs] = [await shop(server.api), await shop(server.api, 'Chairs')]
    const { id } = (await make(chairs)).record
    for (const below of ['', '/deliveries'])
      await expectMissing(one => call(server, lamps, 'GET', `${path}/${one}${below}`), [...namesNothing(id), id])
  })
})

describe('PATCH', () => {
  test('200: fields not sent stay, and null clears', async () => {
    const lamps = await shop(server.api)
    const { signingSecret, ...made } = (await make(lamps, { description: 'The shop' })).record
    const change = async (json: object) => (await call(server, lamps, 'PATCH', `${path}/${made.id}`, { json })).record
    const moved = await change({ url: 'https://192.0.9.2/in' })
    expect(moved).toEqual({ ...made, url: 'https://192.0.9.2/in', updatedAt: moved.updatedAt })
    const retyped = await change({ eventTypes: ['refund.failed'], description: null })
    expect(retyped).toMatchObject({ url: 'https://192.0.9.2/in', eventTypes: ['refund.failed'], description: null })
    expect(await change({})).toEqual(retyped)
    expect((await secretsOf(made.id)).secret).toBe(signingSecret ?? '')
    expect((await log(server, lamps)).slice(1)).toMatchObject([
      { action: 'webhook_endpoint.changed', details: { endpointId: made.id, fields: ['url'] } },
      { action: 'webhook_endpoint.changed', details: { fields: ['eventTypes', 'description'] } },
    ])
  })

  test('200: without a recent proof of identity, so that an endpoint can be stopped quickly', async () => {
    const lamps = await shop(server.api)
    const { id } = (await make(lamps)).record
    await forgetProof(server.api, lamps.owner)
    expect((await call(server, lamps, 'PATCH', `${path}/${id}`, { json: { status: 'disabled' } })).status).toBe(200)
    for (const below of ['/enable', '/test']) {
      const { status } = await call(server, lamps, 'POST', `${path}/${id}${below}`)
      expect([below, status]).toEqual([below, below === '/test' ? 201 : 200])
    }
    expect((await call(server, lamps, 'DELETE', `${path}/${id}`)).status).toBe(204)
  })

  test('200: changed types apply to later events', async () => {
    const lamps = await shop(server.api)
    const { record } = await make(lamps, { eventTypes: ['payment.created'] })
    await publishPaymentEvents(server.api, lamps)
    await call(server, lamps, 'PATCH', `${path}/${record.id}`, { json: { eventTypes: ['payment.canceled'] } })
    await publishPaymentEvents(server.api, lamps)
    expect((await deliveriesOf(record)).map(({ event_type }) => event_type)).toEqual([
      'payment.created',
      'payment.canceled',
    ])
  })

  test('200: a disabled endpoint gets no more events, and its pending deliveries are canceled', async () => {
    const lamps = await shop(server.api)
    const { record } = await make(lamps)
    await publishPaymentEvents(server.api, lamps)
    const disabled = await call(server, lamps, 'PATCH', `${path}/${record.id}`, { json: { status: 'disabled' } })
    expect(disabled.record).toMatchObject({ status: 'disabled', disabledReason: 'by_merchant' })
    await publishPaymentEvents(server.api, lamps)
    expect(await deliveriesOf(record)).toMatchObject([{ state: 'canceled', event_type: 'payment.created' }])
    const again = await call(server, lamps, 'PATCH', `${path}/${record.id}`, { json: { status: 'disabled' } })
    expect(again.record).toEqual(disabled.record)
    const jobs = await server.sql`select from graphile_worker.jobs where task_identifier = 'cancel-deliveries'`
    expect(jobs.length).toBeGreaterThan(0)
  })

  test.each<[string, object, string, string]>([
    ['an invalid url', { url: 'x' }, 'parameter_invalid', 'url'],
    ['null as url', { url: null }, 'parameter_invalid', 'url'],
    ['a private address', { url: 'https://[::1]/' }, 'parameter_invalid', 'url'],
    ['an empty list of types', { eventTypes: [] }, 'parameter_invalid', 'eventTypes'],
    ['a state that clients cannot set', { status: 'deleted' }, 'parameter_invalid', 'status'],
    ['another mode', { livemode: true }, 'parameter_unknown', 'livemode'],
    ['a disabled reason', { disabledReason: 'gone' }, 'parameter_unknown', 'disabledReason'],
  ])('400: %s', async (_, json, code, param) => {
    const lamps = await shop(server.api)
    const { signingSecret, ...made } = (await make(lamps)).record
    const answer = await call(server, lamps, 'PATCH', `${path}/${made.id}`, { json })
    expect([answer.status, errorOf(answer)]).toMatchObject([400, { code, param }])
    expect((await call(server, lamps, 'GET', `${path}/${made.id}`)).record).toEqual(made)
  })
})

describe('DELETE', () => {
  test('204 once, then 404; its pending deliveries are canceled and can still be read', async () => {
    const lamps = await shop(server.api)
    const { record } = await make(lamps)
    const { record: sent } = await call<{ id: string }>(server, lamps, 'POST', `${path}/${record.id}/test`)
    const { status, text } = await call(server, lamps, 'DELETE', `${path}/${record.id}`)
    expect([status, text]).toEqual([204, ''])
    await publishPaymentEvents(server.api, lamps)
    expect((await call(server, lamps, 'GET', `deliveries/${sent.id}`)).record).toMatchObject({ status: 'canceled' })
    expect(await deliveriesOf(record)).toHaveLength(1)
    for (const [method, below] of [
      ...([
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['GET', '/deliveries'],
      ] as const),
      ...(['/enable', '/test', '/rotate-secret'] as const).map(verb => ['POST', verb] as const),
    ])
      expect([below, errorOf(await call(server, lamps, method, `${path}/${record.id}${below}`))?.code]).toEqual([
        below,
        'resource_not_found',
      ])
    expect((await log(server, lamps)).at(-1)).toMatchObject({
      ...{ action: 'webhook_endpoint.deleted', details: { endpointId: record.id } },
    })
  })
})

describe('POST /:id/enable', () => {
  test('200: it gets events from then on, and none from the time in between', async () => {
    const lamps = await shop(server.api)
    const { record } = await make(lamps)
    await call(server, lamps, 'PATCH', `${path}/${record.id}`, { json: { status: 'disabled' } })
    await publishPaymentEvents(server.api, lamps)
    const enabled = await call(server, lamps, 'POST', `${path}/${record.id}/enable`)
    expect([enabled.status, enabled.record]).toMatchObject([200, { status: 'enabled', disabledReason: null }])
    await publishPaymentEvents(server.api, lamps)
    expect(await deliveriesOf(record)).toMatchObject([{ state: 'pending', event_type: 'payment.created' }])
    expect((await call(server, lamps, 'POST', `${path}/${record.id}/enable`)).record).toEqual(enabled.record)
    expect((await log(server, lamps)).map(({ action }) => action)).toEqual([
      'webhook_endpoint.created',
      'webhook_endpoint.disabled',
      'webhook_endpoint.enabled',
    ])
  })

  test('200: deliveries that were not canceled yet are canceled first', async () => {
    const lamps = await shop(server.api)
    const { record } = await make(lamps)
    await publishPaymentEvents(server.api, lamps)
    // The service enqueues a task that cancels them; no worker runs in this test.
    const [disabled] = await server.sql`
      select disable_webhook_endpoint(id, 'gone', enabled_at, '{}') as outcome from webhook_endpoints
      where id = ${decodeId('whe', record.id) ?? ''}`
    expect(disabled?.outcome).toBe('disabled')
    expect((await call(server, lamps, 'GET', `${path}/${record.id}`)).record.disabledReason).toBe('gone')
    expect(await deliveriesOf(record)).toMatchObject([{ state: 'pending' }])
    expect((await call(server, lamps, 'POST', `${path}/${record.id}/enable`)).status).toBe(200)
    expect(await deliveriesOf(record)).toMatchObject([{ state: 'canceled' }])
  })

  test('failures from before it was enabled again do not disable it', async () => {
    const lamps = await shop(server.api)
    const { row } = await makeEndpoint(server.api, lamps)
    const judge = async (at: string | null) => {
      const [answer] = await server.sql`
        select disable_webhook_endpoint(id, 'no_success', coalesce(${at}::text::timestamptz, enabled_at), '{}') as outcome,
          enabled_at::text as at
        from webhook_endpoints where id = ${row.id}`
      return answer
    }
    const first = await judge(null)
    const { id } = (await call<Listed<Endpoint>>(server, lamps, 'GET', path)).record.data[0] ?? { id: '' }
    await call(server, lamps, 'POST', `${path}/${id}/enable`)
    expect([first?.outcome, (await judge(first?.at))?.outcome]).toEqual(['disabled', 'unchanged'])
    expect((await call(server, lamps, 'GET', `${path}/${id}`)).record.status).toBe('enabled')
  })
})

describe('POST /:id/rotate-secret', () => {
  test('200: a new secret, and the old one stays valid for a day', async () => {
    const lamps = await shop(server.api)
    const { signingSecret: first = '', id } = (await make(lamps)).record
    const { status, record } = await call(server, lamps, 'POST', `${path}/${id}/rotate-secret`)
    expect([status, record.id, record.signingSecret === first]).toEqual([200, id, false])
    expect(await secretsOf(id)).toEqual({ secret: record.signingSecret ?? '', previous: first, hours: 24 })
    expect((await log(server, lamps)).at(-1)).toMatchObject({
      ...{ action: 'webhook_endpoint.secret_rotated', details: { endpointId: id, overlapHours: 24 } },
    })
    const kept = Object.values(await contentsOf(server.sql)).join('\n')
    for (const secret of [first, record.signingSecret ?? '']) expect(kept).not.toContain(secret.slice(6))
  })

  test('409: while two secrets are valid; without an overlap both end', async () => {
    const lamps = await shop(server.api)
    const { id } = (await make(lamps)).record
    const rotate = (json: object) => call(server, lamps, 'POST', `${path}/${id}/rotate-secret`, { json })
    const twice = await Promise.all([rotate({ overlapHours: 168 }), rotate({ overlapHours: 168 })])
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await secretsOf(id)).hours).toBe(168)
    const last = (await rotate({ overlapHours: 0 })).record.signingSecret ?? ''
    expect(await secretsOf(id)).toMatchObject({ secret: last, previous: null })
    expect((await rotate({})).status).toBe(200)
  })

  test.each([169, -1, 1.5, '1', null])('400: an overlap of %p', async overlapHours => {
    const lamps = await shop(server.api)
    const { id, signingSecret = '' } = (await make(lamps)).record
    const answer = await call(server, lamps, 'POST', `${path}/${id}/rotate-secret`, { json: { overlapHours } })
    expect([answer.status, errorOf(answer)]).toMatchObject([400, { param: 'overlapHours' }])
    expect((await secretsOf(id)).secret).toBe(signingSecret)
  })

  test('403: without a recent proof of identity', async () => {
    const lamps = await shop(server.api)
    const { id } = (await make(lamps)).record
    await forgetProof(server.api, lamps.owner)
    expect(errorOf(await call(server, lamps, 'POST', `${path}/${id}/rotate-secret`))?.code).toBe('step_up_required')
  })
})

test('no log level and no table contains the secret, nor a response other than the one that creates it', async () => {
  const lines: string[] = []
  await using server = await startServer({ log: pino({ level: 'trace' }, { write: line => void lines.push(line) }) })
  const lamps = await shop(server.api)
  const made = await call(server, lamps, 'POST', path, { json: spec })
  const { id } = made.record
  const rotated = await call(server, lamps, 'POST', `${path}/${id}/rotate-secret`)
  const answers = [
    await call(server, lamps, 'GET', path),
    await call(server, lamps, 'GET', `${path}/${id}`),
    await call(server, lamps, 'PATCH', `${path}/${id}`, { json: { description: 'The shop' } }),
    await call(server, lamps, 'POST', `${path}/${id}/enable`),
    await call(server, lamps, 'POST', `${path}/${id}/test`),
    await call(server, lamps, 'GET', `${path}/${id}/deliveries`),
    await call(server, lamps, 'GET', 'events'),
    await call(server, lamps, 'POST', `${path}/${id}/rotate-secret`, { json: { overlapHours: 1 } }),
  ]
  await server.sql`alter function rotate_webhook_secret rename to away`
  answers.push(await call(server, lamps, 'POST', `${path}/${id}/rotate-secret`, { json: { overlapHours: 0 } }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 201, 200, 200, 409, 500])
  const rows = Object.values(await contentsOf(server.sql)).join('\n')
  for (const { signingSecret = '' } of [made.record, rotated.record]) {
    const secret = signingSecret.slice(6)
    expect(secret).toHaveLength(44)
    for (const text of [lines.join('\n'), rows, answers.map(({ text }) => text).join('\n')])
      expect(text).not.toContain(secret)
  }
  expect(lines.join('\n')).not.toContain('whsec_')
  expect(lines.length).toBeGreaterThan(5)
})
