import { describe, expect, test } from 'bun:test'
import { decodeActorId } from '../../../src/http/ops/actor-id.ts'
import { routes } from '../../../src/http/routes.ts'
import { encodeId } from '../../../src/ids.ts'
import { eventMarks } from '../../../src/kinds/event-marks.ts'
import { machineNames, resources } from '../../../src/resources.ts'
import { contentsOf } from '../contents.ts'
import { makePayment } from '../payments.ts'
import { forgetProof, operator } from '../people.ts'
import { fixtureOf } from '../records.ts'
import { makeRefund } from '../refunds.ts'
import { twoShops } from '../two-shops.ts'
import { makeEndpoint, sendTest } from '../webhooks.ts'

const { server, lamps } = await twoShops({ routes })
const someone = await operator(server.api)
const mode = { merchantId: lamps.merchantId, livemode: false }

type Answer = {
  readonly state?: string
  readonly events?: readonly string[]
  readonly error?: {
    readonly code: string
    readonly param?: string
    readonly details?: { readonly possible: string[] }
  }
}

const post = async (id: string, path: 'preview' | 'events', json: object, bearer = someone.bearer) => {
  const { status, json: body } = await server.call('POST', `/v1/ops/actors/${id}/${path}`, { bearer, json })
  return { status, ...(body as Answer) }
}

describe('POST /v1/ops/actors/:id/preview', () => {
  test('200: what an event would do, and nothing is written', async () => {
    const { id } = await makePayment(server.api, mode, 'picked')
    const refund = await makeRefund(server.api, mode)
    const before = await contentsOf(server.sql)
    expect(await post(id, 'preview', { type: 'cancel' })).toMatchObject({
      status: 200,
      state: 'canceled',
      events: ['payment.canceled'],
      context: { attention: false },
      timers: [],
      jobs: [],
    } as never)
    expect(
      await post(refund, 'preview', { type: 'destination_named', payload: { destination: `0x${'1'.repeat(40)}` } }),
    ).toMatchObject({
      state: 'requires_signature',
      context: { destination: `0x${'1'.repeat(40)}` },
      jobs: [{ task: 'sign-refund', runAt: null }],
    } as never)
    // Large integers and times are read as the machine takes them.
    const seen = { chainId: 31337, asset: 'TUSD', scan: 999, amountReceived: '1', minedAt: '2026-11-20T12:00:00.000Z' }
    const rest = { payerAddress: null, txHash: `0x${'2'.repeat(64)}`, blockNumber: 7, hasLostAgreed: false }
    const underpaid = await post(id, 'preview', { type: 'too_little_seen', payload: { ...seen, ...rest } })
    expect([200, 409]).toContain(underpaid.status)
    expect(await contentsOf(server.sql)).toEqual(before)
  })

  test('200 and 409: whatever the event and the kind, nothing is written', async () => {
    const ids: string[] = []
    for (const name of machineNames) {
      const path = `/v1/merchants/:merchantId/${resources[name].path}/:id`
      ids.push((await fixtureOf({ method: 'GET', path })?.make(server.api, lamps, false)) ?? '')
    }
    for (const situation of ['picked', 'late']) ids.push((await makePayment(server.api, mode, situation)).id)
    const before = await contentsOf(server.sql)
    const statuses = new Set<number>()
    for (const id of ids) {
      const kind = decodeActorId(id)?.kind ?? expect.unreachable(id)
      for (const type of Object.keys(eventMarks[kind])) {
        const { status, error } = await post(id, 'preview', { type })
        // A payload is missing, or the machine refuses.
        expect([type, status === 200 || error?.param === 'payload' || error?.code === 'state_conflict']).toEqual([
          type,
          true,
        ])
        statuses.add(status)
      }
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 409]))
    expect(await contentsOf(server.sql)).toEqual(before)
  })

  test('409: the event is not taken, with those of the state', async () => {
    const { id } = await makePayment(server.api, mode, 'success')
    const { status, error } = await post(id, 'preview', { type: 'cancel' })
    expect([status, error?.code]).toEqual([409, 'state_conflict'])
    expect(error?.details?.possible).toContain('dismiss')
  })

  test('400: an event that the machine does not have, and a payload that it cannot compute with', async () => {
    const { id } = await makePayment(server.api, mode, 'picked')
    expect((await post(id, 'preview', { type: 'explode' })).error).toMatchObject({ param: 'type' })
    const payload = { chainId: null, amountReceived: 'x' }
    const { status } = await post(id, 'preview', { type: 'enough_seen', payload })
    expect([400, 409]).toContain(status)
  })
})

describe('POST /v1/ops/actors/:id/events', () => {
  test('200: an event, with its reason in the history and in the audit log of the merchant', async () => {
    const { id, actor } = await makePayment(server.api, mode, 'late')
    const reason = 'The shop has refunded in cash: see ticket 7'
    expect(await post(id, 'events', { type: 'dismiss', reason })).toMatchObject({ status: 200, state: 'expired' })
    const { json } = await server.call('GET', `/v1/ops/actors/${id}/transitions?order=desc`, { bearer: someone.bearer })
    expect((json as { data: object[] }).data[0]).toMatchObject({
      event: 'dismiss',
      cause: { type: 'operator', id: someone.id, name: null },
      reason,
      context: { attention: false },
    })
    const [{ cause } = { cause: '' }] = await server.sql<{ cause: string }[]>`
      select cause from transitions where actor = ${actor} order by rev desc limit 1`
    expect(cause).toMatch(/^operator:usr_\w+ [0-9a-f-]{36}:The shop has refunded in cash: see ticket 7$/)
    const bearer = lamps.owner.bearer
    const log = await server.call('GET', `${lamps.path}/audit-log?limit=1`, { bearer })
    expect((log.json as { data: object[] }).data[0]).toMatchObject({
      action: 'operator.event_sent',
      actor: someone.id,
      details: { record: id, event: 'dismiss', reason },
    })
    expect(log.text).not.toContain(someone.email)
    // Members see that an operator did it, and not who.
    const history = await server.call('GET', `${lamps.path}/payments/${id}/history?order=desc`, { bearer })
    expect((history.json as { data: object[] }).data[0]).toMatchObject({
      cause: { type: 'operator', id: null, name: null },
    })
    expect(history.text).not.toContain('ticket 7')
  })

  test('200: a delivery is canceled and sent again', async () => {
    const { row } = await makeEndpoint(server.api, lamps)
    const id = encodeId('whd', await sendTest(server.api, lamps, row))
    expect(await post(id, 'events', { type: 'cancel', reason: 'x' })).toMatchObject({ status: 200, state: 'canceled' })
    expect(await post(id, 'events', { type: 'redeliver', reason: 'x' })).toMatchObject({
      status: 200,
      state: 'pending',
    })
    await post(id, 'events', { type: 'cancel', reason: 'x' })
    await server.sql`
      update webhook_endpoints set state = 'disabled', disabled_reason = 'by_merchant' where id = ${row.id}`
    await server.sql`select renew_subscriptions(${row.id})`
    expect(await post(id, 'events', { type: 'redeliver', reason: 'x' })).toMatchObject({ status: 409 })
  })

  test.each([
    ['late', 'accept', 'accepts money'],
    ['picked', 'cancel', 'is for the merchant'],
    ['picked', 'enough_seen', 'reports what a chain shows'],
    ['late', 'toString', 'is none'],
  ])('400: of a payment (%s), %s %s; nothing is written', async (situation, type) => {
    const { id } = await makePayment(server.api, mode, situation)
    const before = await contentsOf(server.sql)
    const { status, error } = await post(id, 'events', { type, reason: 'x' })
    expect([status, error?.code, error?.param]).toEqual([400, 'parameter_invalid', 'type'])
    expect(await contentsOf(server.sql)).toEqual(before)
  })

  test('400: the end of a window in live mode; in test mode it is possible', async () => {
    const live = await makePayment(server.api, { ...mode, livemode: true }, 'picked')
    expect((await post(live.id, 'events', { type: 'end_window', reason: 'x' })).status).toBe(400)
    const test = await makePayment(server.api, mode, 'picked')
    expect((await post(test.id, 'events', { type: 'end_window', reason: 'x' })).status).toBe(200)
  })

  test('400: without a reason', async () => {
    const { id } = await makePayment(server.api, mode, 'late')
    for (const reason of [undefined, '', 'x'.repeat(501)])
      expect((await post(id, 'events', { type: 'dismiss', ...(reason !== undefined && { reason }) })).status).toBe(400)
  })

  test('409: the machine refuses, and nothing is written', async () => {
    const { id } = await makePayment(server.api, mode, 'success')
    const before = await contentsOf(server.sql)
    const { status, error } = await post(id, 'events', { type: 'dismiss', reason: 'x' })
    expect([status, error?.code, error?.details?.possible.includes('dismiss')]).toEqual([409, 'state_conflict', true])
    expect(await contentsOf(server.sql)).toEqual(before)
  })

  test('403: without a recent proof of identity', async () => {
    const { id } = await makePayment(server.api, mode, 'late')
    const stale = await operator(server.api)
    await forgetProof(server.api, stale)
    const { status, error } = await post(id, 'events', { type: 'dismiss', reason: 'x' }, stale.bearer)
    expect([status, error?.code]).toEqual([403, 'step_up_required'])
    expect((await post(id, 'preview', { type: 'dismiss' }, stale.bearer)).status).toBe(200)
  })
})
