import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { routes } from '../../src/http/routes.ts'
import { decodeId } from '../../src/ids.ts'
import { apiServer, type Called } from '../harness/api.ts'
import { makeLink } from './links.ts'
import { makePayment } from './payments.ts'
import { member, shop } from './people.ts'
import { type SimulationServer, simulationServer } from './simulations.ts'

let server: SimulationServer

beforeAll(async () => {
  server = await simulationServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const codeOf = ({ status, json }: Called) => [status, (json as { error?: { code: string } }).error?.code]
const hashesIn = ({ json }: Called) => (json as { transactions: string[] }).transactions
const success = { state: 'success', exception: null, attention: false }

const transfersOf = async (id: string): Promise<string[]> => {
  const rows = await server.server.sql<{ hash: string }[]>`
    select tx_hash as hash from transfers where payment_id = ${decodeId('pay', id) ?? ''} and state <> 'orphaned'`
  return rows.map(({ hash }) => hash)
}

describe.concurrent('POST /v1/checkout/payments/:id/simulate', () => {
  const opened = async (body: object = {}, livemode = false) => {
    const { api, call } = server.server
    const { id } = await makeLink(api, { merchantId: server.shop.merchantId, livemode }, { assets: null })
    const { json } = await call('POST', `/v1/checkout/links/${id}/payments`, {
      json: { customerEmail: 'ada@example.com', ...body },
    })
    return json as { payment: { id: string }; clientSecret: string }
  }
  const pay = ({ payment, clientSecret }: { payment: { id: string }; clientSecret: string }, json: object = {}) =>
    server.server.call('POST', `/v1/checkout/payments/${payment.id}/simulate`, {
      headers: { 'client-secret': clientSecret },
      json,
    })

  test('200: pays what is due, and history says that the customer did', async () => {
    const made = await opened()
    const answer = await pay(made)
    expect(answer.status).toBe(200)
    expect(hashesIn(answer)).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)])
    await server.becomes(made.payment.id, success)
    const causes = await server.server.sql<{ cause: string }[]>`
      select split_part(cause, ' ', 1) as cause from transitions
      where actor = ${decodeId('pay', made.payment.id) ?? ''} and event = 'asset_picked'`
    expect([...causes]).toEqual([{ cause: 'customer' }])
    expect(codeOf(await pay(made))).toEqual([409, 'state_conflict'])
    expect(await transfersOf(made.payment.id)).toEqual(hashesIn(answer))
  })

  test('of five at once one pays', async () => {
    const made = await opened({ chainId: 31337, asset: 'ETH' })
    const answers = await Promise.all(Array.from({ length: 5 }, () => pay(made, { scenario: 'paid' })))
    const [first, ...others] = answers.map(codeOf).sort()
    expect(first).toEqual([200, undefined])
    // On a quick machine the tests before may have used up the rate of their address.
    for (const [, code] of others) expect(['state_conflict', 'rate_limited']).toContain(String(code))
    expect(await transfersOf(made.payment.id)).toHaveLength(1)
  })

  test('400: any other scenario, and more than that', async () => {
    const made = await opened()
    for (const scenario of ['underpaid', 'late', 'reorged', 'PAID', '', null, 1, ['paid']])
      expect(codeOf(await pay(made, { scenario }))).toEqual([400, 'parameter_invalid'])
    expect(codeOf(await pay(made, { amount: 1 }))).toEqual([400, 'parameter_unknown'])
    expect(await transfersOf(made.payment.id)).toEqual([])
  })

  test('403: a payment in live mode', async () => {
    expect(codeOf(await pay(await opened({}, true)))).toEqual([403, 'sandbox_only'])
  })

  test('404: another secret', async () => {
    const [made, other] = [await opened(), await opened()]
    expect(codeOf(await pay({ ...made, clientSecret: other.clientSecret }))).toEqual([404, 'resource_not_found'])
  })
})

describe.concurrent('POST /v1/merchants/:merchantId/payments/:id/simulate', () => {
  const simulate = (id: string, bearer: string, json: object = { scenario: 'paid' }) =>
    server.server.call('POST', `${server.shop.path}/payments/${id}/simulate`, { bearer, json })

  test('200: owners and developers act every scenario, and history names them', async () => {
    const developer = await member(server.server.api, server.shop, 'developer')
    const id = await server.open()
    const answer = await simulate(id, developer.bearer, { scenario: 'underpaid' })
    expect(answer.status).toBe(200)
    await server.becomes(id, { state: 'pending', exception: 'underpaid' })
    expect((await simulate(id, server.shop.owner.bearer, { scenario: 'late' })).status).toBe(200)
    await server.becomes(id, { state: 'success' })
    const causes = await server.server.sql<{ cause: string }[]>`
      select split_part(cause, ' ', 1) as cause from transitions where actor = ${decodeId('pay', id) ?? ''} and event = 'end_window'`
    expect([...causes]).toEqual([{ cause: server.shop.owner.id }])
  })

  test('409: while another scenario of the payment is in progress, also one of another caller', async () => {
    const id = await server.open('TUSD')
    const answers = await Promise.all([
      simulate(id, server.shop.owner.bearer),
      server.simulate(id, 'paid'),
      simulate(id, server.shop.owner.bearer),
    ])
    expect(answers.map(codeOf).sort()).toEqual([
      [200, undefined],
      [409, 'state_conflict'],
      [409, 'state_conflict'],
    ])
    expect(await transfersOf(id)).toHaveLength(1)
  })

  test('400: a scenario that is none, or none at all', async () => {
    const id = await server.open()
    const { bearer } = server.shop.owner
    expect(codeOf(await simulate(id, bearer, { scenario: 'rich' }))).toEqual([400, 'parameter_invalid'])
    expect(codeOf(await simulate(id, bearer, {}))).toEqual([400, 'parameter_missing'])
    expect(codeOf(await simulate(id, bearer, { scenario: 'paid', to: 'me' }))).toEqual([400, 'parameter_unknown'])
  })

  test('403 for viewers and for payments in live mode, 404 for those of another merchant', async () => {
    const { api } = server.server
    const viewer = await member(api, server.shop, 'viewer')
    expect(codeOf(await simulate(await server.open(), viewer.bearer))).toEqual([403, 'insufficient_role'])
    const live = await makePayment(api, { merchantId: server.shop.merchantId, livemode: true }, 'picked')
    expect(codeOf(await simulate(live.id, server.shop.owner.bearer))).toEqual([403, 'sandbox_only'])
    const other = await shop(api, 'Chairs')
    const theirs = await makePayment(api, { merchantId: other.merchantId, livemode: false }, 'picked')
    for (const id of [theirs.id, 'pay_x', server.shop.merchantId])
      expect(codeOf(await simulate(id, server.shop.owner.bearer))).toEqual([404, 'resource_not_found'])
  })

  test('503: without a sandbox', async () => {
    await using bare = await apiServer({ routes })
    const { merchantId, path, owner } = await shop(bare.api)
    const { id } = await makePayment(bare.api, { merchantId, livemode: false }, 'picked')
    const answer = await bare.call('POST', `${path}/payments/${id}/simulate`, {
      ...{ bearer: owner.bearer, json: { scenario: 'paid' } },
    })
    expect(codeOf(answer)).toEqual([503, 'chain_unavailable'])
  })
})
