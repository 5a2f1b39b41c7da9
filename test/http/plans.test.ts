import { describe, expect, test } from 'bun:test'
import { planRoutes } from '../../src/http/plans.ts'
import { encodeId } from '../../src/ids.ts'
import { planRecord } from '../../src/records/plan.ts'
import { aLamp } from './invoices.ts'
import { expectPages, idsOf, testRefusedQueries } from './lists.ts'
import { member } from './people.ts'
import { makePlan } from './plans.ts'
import { type Asked, newKey, twoShops } from './two-shops.ts'

const { server, lamps, chairs, key, liveKey, chairsKey, ask, page } = await twoShops({ routes: planRoutes })
const { api, sql } = server
const mode = { merchantId: lamps.merchantId, livemode: false }
const owner = { path: lamps.path, bearer: lamps.owner.bearer }

type Shown = { readonly id: string; readonly status: string; readonly updatedAt: string }

const monthly = { name: 'Lamp club', currency: 'EUR', lines: [aLamp], interval: 'month' }
const create = (json: object = {}, asked: Asked = {}) =>
  ask('POST', '/plans', { ...asked, json: { ...monthly, ...json } })
const made = async (json: object = {}, asked: Asked = {}) => {
  const { status, text } = await create(json, asked)
  expect([status, text]).toEqual([201, expect.any(String)])
  return planRecord.type().assert(JSON.parse(text)) as Shown & Record<string, unknown>
}
const list = (query = '', asked?: Asked) => page<Shown>(`/plans${query}`, asked)
const long = (length: number) => 'x'.repeat(length)
const withLine = (line: object) => ({ lines: [{ ...aLamp, ...line }] })

describe('POST /v1/plans', () => {
  test('201: a plan with defaults, also for a member', async () => {
    for (const asked of [{}, owner]) {
      const plan = await made({}, asked)
      const line = { id: 'line_1', ...aLamp, quantity: '1', amountMinor: 4_900 }
      expect(plan).toEqual({
        ...{ object: 'plan', id: expect.stringMatching(/^plan_/), merchantId: encodeId('mer', lamps.merchantId) },
        ...{ name: 'Lamp club', description: null, status: 'active', currency: 'EUR' },
        lines: [{ ...line, taxRateBps: 0, taxCategory: 'standard', taxNote: null }],
        ...{ taxBehavior: 'exclusive', amountMinor: 4_900, interval: 'month', intervalCount: 1, trialDays: 0 },
        ...{ leadDays: 7, graceDays: 7, maxPeriods: null, activation: 'on_payment', afterGrace: 'cancel' },
        ...{ assets: null, reference: null, subscriptionsCount: 0, metadata: {}, livemode: false },
        url: `${api.settings.publicUrl}/plans/${plan.id}`,
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
      })
      expect(JSON.parse((await ask('GET', `/plans/${plan.id}`, asked)).text)).toEqual(plan)
    }
  })

  test('201: every field at its limit is returned as it was sent', async () => {
    const most = {
      ...{ name: long(200), description: long(1_000), reference: long(200), taxBehavior: 'inclusive' },
      ...{ interval: 'year', intervalCount: 12, trialDays: 730, leadDays: 4_379, graceDays: 4_379, maxPeriods: 10_000 },
      ...{ activation: 'immediate', afterGrace: 'pause', metadata: { a: long(200) } },
      lines: Array<object>(20).fill({ ...aLamp, description: long(300), quantity: '0.000001', taxNote: long(200) }),
    }
    const { lines, ...others } = most
    const plan = await made(most)
    expect(plan).toMatchObject(others)
    const added = { amountMinor: 0, taxRateBps: 0, taxCategory: 'standard' }
    expect(plan.lines).toEqual(lines.map((line, at) => ({ id: `line_${at + 1}`, ...line, ...added })))
  })

  test('the amount is the total of the lines with tax, rounded once for each rate', async () => {
    const lines = [
      { description: 'A', unitAmountMinor: 33, taxRateBps: 1_900 },
      { description: 'B', unitAmountMinor: 33, taxRateBps: 1_900 },
      { description: 'C', unitAmountMinor: -10, quantity: '2.5', taxRateBps: 700 },
    ]
    // 66 and 12.54; −25 and −1.75.
    expect(await made({ lines })).toMatchObject({ amountMinor: 66 + 13 - 25 - 2 })
    expect(await made({ lines, taxBehavior: 'inclusive' })).toMatchObject({ amountMinor: 41, taxBehavior: 'inclusive' })
    expect(await made(withLine({ unitAmountMinor: 0 }))).toMatchObject({ amountMinor: 0 })
  })

  test('what is not sent is taken from the billing settings', async () => {
    await sql`
      update billing_settings set tax_rate_bps = 1900, tax_behavior = 'inclusive' where merchant_id = ${chairs.merchantId}`
    expect(await made({}, { bearer: chairsKey })).toMatchObject({ amountMinor: 4_900, taxBehavior: 'inclusive' })
    expect(await made({ taxBehavior: 'exclusive' }, { bearer: chairsKey })).toMatchObject({ amountMinor: 5_831 })
  })

  test.each<[string, number, number, number, number]>([
    ['day', 1, 0, 0, 0],
    ['day', 12, 0, 0, 11],
    ['week', 1, 2, 3, 6],
    ['week', 12, 2, 3, 83],
    ['month', 1, 7, 7, 27],
    ['month', 3, 7, 7, 83],
    ['year', 1, 7, 7, 364],
  ])(
    '%s × %i: by default %i days before and %i after, and at most %i',
    async (interval, intervalCount, lead, grace, most) => {
      const cadence = { interval, intervalCount }
      expect(await made(cadence)).toMatchObject({ leadDays: lead, graceDays: grace })
      expect(await made({ ...cadence, leadDays: most, graceDays: most })).toMatchObject({
        leadDays: most,
        graceDays: most,
      })
      for (const param of ['leadDays', 'graceDays']) {
        const { status, error } = await create({ ...cadence, [param]: most + 1 })
        expect([status, error]).toMatchObject([400, { code: 'parameter_invalid', param }])
      }
    },
  )

  test('409: a reference is unique in a mode of a merchant, also of two requests at the same time', async () => {
    const reference = 'club-monthly'
    const answers = await Promise.all([create({ reference }), create({ reference }), create({ reference })])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const planId = answers.flatMap(({ status, json }) => (status === 201 ? (json as Shown).id : []))[0]
    const { error } = await create({ reference })
    expect(error).toMatchObject({ code: 'duplicate_reference', param: 'reference', details: { planId } })
    for (const bearer of [liveKey, chairsKey]) expect((await create({ reference }, { bearer })).status).toBe(201)
    await ask('POST', `/plans/${planId}/archive`)
    expect((await create({ reference })).status).toBe(409)
  })

  test('is created once for an Idempotency-Key, and another request with it is refused', async () => {
    const headers = newKey()
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({ reference: 'once' }, { headers })))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect((await create({ reference: 'twice' }, { headers })).error?.code).toBe('idempotency_key_reused')
    expect((await list('?reference=once')).data).toHaveLength(1)
  })

  test.each<[string, object, number, string, string]>([
    ['no name', { name: undefined }, 400, 'parameter_missing', 'name'],
    ['an empty name', { name: '' }, 400, 'parameter_invalid', 'name'],
    ['a long name', { name: long(201) }, 400, 'parameter_invalid', 'name'],
    ['a long description', { description: long(1_001) }, 400, 'parameter_invalid', 'description'],
    ['no currency', { currency: undefined }, 400, 'parameter_missing', 'currency'],
    ['a malformed currency', { currency: 'eur' }, 400, 'parameter_invalid', 'currency'],
    ['another currency', { currency: 'CHF' }, 422, 'unsupported_currency', 'currency'],
    ['no lines', { lines: undefined }, 400, 'parameter_missing', 'lines'],
    ['an empty list of lines', { lines: [] }, 400, 'parameter_invalid', 'lines'],
    ['21 lines', { lines: Array(21).fill(aLamp) }, 400, 'parameter_invalid', 'lines'],
    ['a line with a period', withLine({ periodStart: '2026-01-01' }), 400, 'parameter_unknown', 'lines.0.periodStart'],
    ['a line without a text', withLine({ description: '' }), 400, 'parameter_invalid', 'lines.0.description'],
    ['quantity 0', withLine({ quantity: '0' }), 400, 'parameter_invalid', 'lines.0.quantity'],
    ['an unsafe amount', withLine({ unitAmountMinor: 2 ** 53 }), 400, 'parameter_invalid', 'lines.0.unitAmountMinor'],
    ['a rate above 100 %', withLine({ taxRateBps: 10_001 }), 400, 'parameter_invalid', 'lines.0.taxRateBps'],
    [
      'a rate of an export',
      withLine({ taxCategory: 'export', taxRateBps: 1 }),
      ...([400, 'parameter_invalid', 'lines.0.taxRateBps'] as const),
    ],
    ['an exemption without note', withLine({ taxCategory: 'exempt' }), 400, 'parameter_missing', 'lines.0.taxNote'],
    ['a negative total', withLine({ unitAmountMinor: -1 }), 422, 'invoice_total_out_of_range', 'lines'],
    [
      'a total above 2^53',
      { lines: [{ ...aLamp, unitAmountMinor: 2 ** 53 - 1 }, aLamp] },
      ...([422, 'invoice_total_out_of_range', 'lines'] as const),
    ],
    ['no interval', { interval: undefined }, 400, 'parameter_missing', 'interval'],
    ['an hour', { interval: 'hour' }, 400, 'parameter_invalid', 'interval'],
    ['no intervals', { intervalCount: 0 }, 400, 'parameter_invalid', 'intervalCount'],
    ['13 intervals', { intervalCount: 13 }, 400, 'parameter_invalid', 'intervalCount'],
    ['half an interval', { intervalCount: 1.5 }, 400, 'parameter_invalid', 'intervalCount'],
    ['a negative trial', { trialDays: -1 }, 400, 'parameter_invalid', 'trialDays'],
    ['a trial of 731 days', { trialDays: 731 }, 400, 'parameter_invalid', 'trialDays'],
    ['a negative lead', { leadDays: -1 }, 400, 'parameter_invalid', 'leadDays'],
    ['half a day of grace', { graceDays: 0.5 }, 400, 'parameter_invalid', 'graceDays'],
    ['no periods', { maxPeriods: 0 }, 400, 'parameter_invalid', 'maxPeriods'],
    ['10,001 periods', { maxPeriods: 10_001 }, 400, 'parameter_invalid', 'maxPeriods'],
    ['another activation', { activation: 'later' }, 400, 'parameter_invalid', 'activation'],
    ['another end of the grace', { afterGrace: 'expire' }, 400, 'parameter_invalid', 'afterGrace'],
    ['no assets', { assets: [] }, 400, 'parameter_invalid', 'assets'],
    ['21 assets', { assets: Array(21).fill({ chainId: 31_337, asset: 'TUSD' }) }, 400, 'parameter_invalid', 'assets'],
    ['an unknown chain', { assets: [{ chainId: 1, asset: 'USDC' }] }, 422, 'unsupported_asset', 'assets.0.chainId'],
    ['a long reference', { reference: long(201) }, 400, 'parameter_invalid', 'reference'],
    ['a long value', { metadata: { a: long(201) } }, 400, 'parameter_invalid', 'metadata.a'],
    ['an amount', { amountMinor: 4_900 }, 400, 'parameter_unknown', 'amountMinor'],
  ])('%s: refused with the field', async (_, more, status, code, param) => {
    const answer = await create(more)
    expect([answer.status, answer.error?.code, answer.error?.param]).toEqual([status, code, param])
  })
})

describe('PATCH /v1/plans/:id', () => {
  test('changes name, description and metadata, also of an archived plan', async () => {
    const plan = await made({ description: 'Bulbs', metadata: { a: 'b' } })
    const changed = await ask('PATCH', `/plans/${plan.id}`, { json: { name: 'Bulb club' } })
    expect(changed.json).toEqual({ ...plan, name: 'Bulb club', updatedAt: expect.any(String) })
    expect((await ask('POST', `/plans/${plan.id}/archive`)).status).toBe(200)
    const json = { description: null, metadata: { c: 'd' } }
    expect((await ask('PATCH', `/plans/${plan.id}`, { ...owner, json })).json).toMatchObject({
      ...{ status: 'archived', name: 'Bulb club', ...json },
    })
  })

  test.each<[string, object, string]>([
    ['currency', { currency: 'USD' }, 'parameter_unknown'],
    ['lines', { lines: [aLamp] }, 'parameter_unknown'],
    ['interval', { interval: 'year' }, 'parameter_unknown'],
    ['graceDays', { graceDays: 1 }, 'parameter_unknown'],
    ['reference', { reference: 'r' }, 'parameter_unknown'],
    ['status', { status: 'active' }, 'parameter_unknown'],
    ['name', { name: null }, 'parameter_invalid'],
    ['name', { name: long(201) }, 'parameter_invalid'],
    ['description', { description: '' }, 'parameter_invalid'],
  ])('400: %s as %j: %s', async (param, json, code) => {
    const { id } = await made()
    const { status, error } = await ask('PATCH', `/plans/${id}`, { json })
    expect([status, error]).toMatchObject([400, { code, param }])
  })
})

describe('POST /v1/plans/:id/archive', () => {
  test('archives once, and answers the same again', async () => {
    const { id } = await made()
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('POST', `/plans/${id}/archive`)))
    expect(answers.map(({ status, json }) => [status, (json as Shown).status])).toEqual(
      Array(5).fill([200, 'archived']),
    )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })
})

describe('GET /v1/plans', () => {
  test('lists in pages, by status and by reference', async () => {
    const shop = { bearer: liveKey }
    const before = idsOf(await list('', shop)).toReversed()
    const ids: string[] = []
    for (const reference of ['a', 'b', 'c', 'd', 'e']) ids.push((await made({ reference }, shop)).id)
    await expectPages(query => list(query, shop), [...before, ...ids])
    await ask('POST', `/plans/${ids[1]}/archive`, shop)
    expect(idsOf(await list('?status=archived', shop))).toEqual([String(ids[1])])
    expect(idsOf(await list('?status=active', shop))).not.toContain(String(ids[1]))
    expect(idsOf(await list('?status=active&status=archived', shop))).toEqual([...before, ...ids].toReversed())
    expect(idsOf(await list('?reference=c', shop))).toEqual([String(ids[2])])
    expect((await list('?reference=b&status=active', shop)).data).toEqual([])
    expect(idsOf(await list('?reference=b&status=archived', shop))).toEqual([String(ids[1])])
  })

  test('finds by the beginning of a name or by a reference, with other filters', async () => {
    const shop = { bearer: liveKey }
    const ids: string[] = []
    for (const [name, reference] of [
      ['Zürich lamps', 'zuri'],
      ['zürich bulbs', 'q-1'],
      ['100% Zürich', null],
    ] as const)
      ids.push((await made({ name, reference }, shop)).id)
    const [lamps = '', bulbs = '', percent = ''] = ids.map(String)
    const found = async (query: string) => idsOf(await list(`?${query}`, shop))
    expect(await found(`q=${encodeURIComponent('ZÜRICH')}`)).toEqual([bulbs, lamps])
    expect(await found(`q=${encodeURIComponent('zürich l')}`)).toEqual([lamps])
    expect(await found('q=zuri')).toEqual([lamps])
    expect(await found('q=zur')).toEqual([])
    expect(await found(`q=${encodeURIComponent('100%')}`)).toEqual([percent])
    expect(await found(`q=${encodeURIComponent('%')}`)).toEqual([])
    expect(await found(`q=${encodeURIComponent('zürich')}&reference=q-1`)).toEqual([bulbs])
    expect(await found('q=lamp&reference=q-1')).toEqual([])
    expect(await found(`q=${encodeURIComponent('zürich')}&limit=1&startingAfter=${bulbs}`)).toEqual([lamps])
    await ask('POST', `/plans/${bulbs}/archive`, shop)
    expect(await found(`q=${encodeURIComponent('zürich')}&status=active`)).toEqual([lamps])
    expect(await found(`q=${encodeURIComponent('zürich')}&status=archived`)).toEqual([bulbs])
    expect(idsOf(await list(`?q=${encodeURIComponent('zürich')}`))).toEqual([])
  })

  testRefusedQueries(
    query => ask('GET', `/plans${query}`),
    [
      ['q=', 'parameter_invalid', 'q'],
      [`q=${'a'.repeat(201)}`, 'parameter_invalid', 'q'],
      ['status=paused', 'parameter_invalid', 'status'],
      ['reference=', 'parameter_invalid', 'reference'],
      ['currency=EUR', 'parameter_unknown', 'currency'],
    ],
  )
})

test('404: a plan of another merchant or mode; 403: without the scope or the role', async () => {
  const { id } = await made()
  const viewer = { path: lamps.path, bearer: (await member(api, lamps, 'viewer')).bearer }
  const requests = [
    ['GET', `/plans/${id}`, undefined],
    ['PATCH', `/plans/${id}`, { name: 'n' }],
    ['POST', `/plans/${id}/archive`, undefined],
  ] as const
  for (const [method, path, json] of requests) {
    for (const bearer of [liveKey, chairsKey]) {
      const { status, error } = await ask(method, path, { bearer, json })
      expect([method, status, error?.code]).toEqual([method, 404, 'resource_not_found'])
    }
    expect((await ask(method, path, { ...viewer, json })).status).toBe(method === 'GET' ? 200 : 403)
  }
  expect((await create({}, viewer)).error?.code).toBe('insufficient_role')
  expect((await list('', viewer)).status).toBe(200)
  const plan = await makePlan(api, mode)
  expect((await ask('GET', `/plans/${encodeId('plan', plan.id)}`, { bearer: key })).json).toMatchObject({
    ...{ name: 'Lamp club', amountMinor: 4_900 },
  })
})
