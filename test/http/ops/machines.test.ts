import { describe, expect, test } from 'bun:test'
import { addTransitions } from '../../../src/actors/machine-sums.ts'
import { routes } from '../../../src/http/routes.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { until } from '../../harness/until.ts'
import { makeDispute } from '../disputes.ts'
import { makePayment } from '../payments.ts'
import { operator } from '../people.ts'
import { makeRefund } from '../refunds.ts'
import { twoShops } from '../two-shops.ts'
import { makeEndpoint, sendTest } from '../webhooks.ts'

const { server, lamps, chairs } = await twoShops({ routes })
const { bearer } = await operator(server.api)

type Machine = {
  readonly id: string
  readonly kind: string
  readonly states: readonly {
    readonly state: string
    readonly count: number
    readonly dwellMs: { p50: number; p95: number } | null
  }[]
  readonly edges: readonly { readonly from: string; readonly to: string; readonly count: number }[]
  readonly definition?: { readonly id: string; readonly states: object }
}

const get = async (path = '') => (await server.call('GET', `/v1/ops/machines${path}`, { bearer })).json
const machines = async (query = '') => ((await get(query)) as { data: readonly Machine[] }).data
const one = async (kind: string, query = '') => (await machines(query)).find(each => each.kind === kind)
const stateIn = async (kind: string, state: string) => (await one(kind))?.states.find(each => each.state === state)

const realCounts = async () =>
  Object.fromEntries(
    await Promise.all(
      kinds.map(async ({ name, table }) => {
        const rows = await server.sql<{ state: string; count: number }[]>`
          select state, count(*)::integer as count from ${server.sql(table)} group by state`
        return [name, Object.fromEntries(rows.map(({ state, count }) => [state, count]))]
      }),
    ),
  )
const shownCounts = async () =>
  Object.fromEntries(
    (await machines()).map(({ kind, states }) => [
      kind,
      Object.fromEntries(states.flatMap(({ state, count }) => (count > 0 ? [[state, count]] : []))),
    ]),
  )

const mode = { livemode: false }
const addAll = async () => {
  while ((await addTransitions(server.sql, 1_000)) > 0);
}

describe('GET /v1/ops/machines', () => {
  test('200: counts in all states equal the rows, of all merchants and both modes, before and after they are added', async () => {
    for (const situation of ['new', 'picked', 'success', 'late'])
      for (const shop of [lamps, chairs]) await makePayment(server.api, { ...shop, livemode: true }, situation)
    await makeRefund(server.api, { merchantId: lamps.merchantId, ...mode })
    await makeDispute(server.api, lamps, { submit: true })
    const { row } = await makeEndpoint(server.api, lamps, mode)
    const sent = []
    for (let n = 0; n < 3; n++) sent.push(await sendTest(server.api, lamps, row))
    await server.api.actors.dispatch({ kind: 'delivery', actor: sent[0] ?? '', event: { type: 'cancel' } })
    const real = await realCounts()
    expect(real.delivery).toEqual({ pending: 2, canceled: 1 })
    expect(await shownCounts()).toEqual(real)
    await addAll()
    expect(await shownCounts()).toEqual(real)
    await server.api.actors.dispatch({ kind: 'delivery', actor: sent[0] ?? '', event: { type: 'redeliver' } })
    expect(await shownCounts()).toEqual(await realCounts())
  })

  test('200: arrows with how often they were taken in the window, and how long payments stayed', async () => {
    const edge = async (query: string) =>
      (await one('payment', query))?.edges.find(({ from, to }) => from === 'processing' && to === 'success')?.count ?? 0
    await until(async () => (await addTransitions(server.sql, 1_000)) === 0)
    const before = await edge('?window=1h')
    await makePayment(server.api, { ...lamps, livemode: false }, 'success')
    await until(async () => {
      await addAll()
      return (await edge('?window=1h')) === before + 1
    })
    for (const window of ['24h', '7d', '30d']) expect(await edge(`?window=${window}`)).toBe(before + 1)
    expect((await stateIn('payment', 'processing'))?.dwellMs?.p95).toBeGreaterThanOrEqual(0)
    // No stay in a final state ends, and the beginning of a delivery's stays is not in the history.
    for (const [kind, state] of [
      ['payment', 'success'],
      ['delivery', 'pending'],
      ['delivery', 'sending'],
    ] as const)
      expect((await stateIn(kind, state))?.dwellMs).toBeNull()
  })

  test('200: percentiles of the durations, within a tenth', async () => {
    await server.sql`
      insert into machine_stays
      select 'week', date_trunc('week', now(), 'UTC'), 'refund', 'requires_signature', duration_class(ms), count(*)
      from generate_series(1000, 100000, 100) ms group by 5`
    const dwell = (await one('refund', '?window=30d'))?.states.find(
      ({ state }) => state === 'requires_signature',
    )?.dwellMs
    expect(Math.abs((dwell?.p50 ?? 0) / 50_500 - 1)).toBeLessThan(0.1)
    expect(Math.abs((dwell?.p95 ?? 0) / 95_050 - 1)).toBeLessThan(0.1)
  })

  test('400: another window', async () => {
    for (const window of ['2h', '', '1h&window=7d'])
      expect((await server.call('GET', `/v1/ops/machines?window=${window}`, { bearer })).status).toBe(400)
  })
})

describe('GET /v1/ops/machines/:kind', () => {
  test.each(kinds.map(({ name }) => [name]))('200: %s with its definition', async kind => {
    const { definition, ...machine } = (await get(`/${kind}`)) as Machine
    expect([machine.id, machine.kind]).toEqual([kind, kind])
    const listed = await one(kind)
    expect(machine).toEqual(listed as never)
    expect(Object.keys(definition?.states ?? {})).toEqual(listed?.states.map(({ state }) => state) ?? [])
  })

  test('404: a kind that does not exist', async () => {
    expect((await server.call('GET', '/v1/ops/machines/lamp', { bearer })).status).toBe(404)
  })
})
