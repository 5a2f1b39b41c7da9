import { describe, expect, test } from 'bun:test'
import { connectChains } from '../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../src/chain/known/sandbox.ts'
import { routes } from '../../src/http/routes.ts'
import { encodeId } from '../../src/ids.ts'
import { sandboxContracts } from '../../src/sandbox/contracts.ts'
import { makeDispute } from './disputes.ts'
import { makeInvoice } from './invoices.ts'
import { makeLink } from './links.ts'
import { idsOf } from './lists.ts'
import { expectMissing, namesNothing } from './missing.ts'
import { final, openPayment, paid, seen } from './payments.ts'
import { member, type Shop, shop } from './people.ts'
import { makeRefund } from './refunds.ts'
import { twoShops } from './two-shops.ts'
import { makeEndpoint, sendTest } from './webhooks.ts'

const { server, lamps, ask } = await twoShops({
  routes,
  // It is not reachable.
  chains: outside => connectChains([sandboxChain(sandboxContracts)], () => [], outside),
})

type Entry = {
  readonly id: string
  readonly rev: number
  readonly event: string
  readonly from: string | null
  readonly to: string
  readonly at: string
  readonly cause: { readonly type: string; readonly id: string | null; readonly name: string | null }
}
type History = { readonly object: string; readonly data: readonly Entry[]; readonly has_more: boolean }

const get = (of: string, query = '', { path, owner }: Shop = lamps) =>
  ask('GET', `/${of}/history${query}`, { path, bearer: owner.bearer })
const history = async (of: string, query = '', at?: Shop) => (await get(of, query, at)).json as History

/** One line for each change. */
const lines = ({ data }: History) =>
  data.map(
    ({ rev, event, from, to, cause: { type, id, name } }) =>
      `${rev} ${event}: ${from} > ${to} by ${type} ${id} ${name}`,
  )

const dispatch = async (actor: string, event: { type: string } & Record<string, unknown>, cause?: string) => {
  const outcome = await server.api.actors.dispatch({ kind: 'payment', actor, event, ...(cause && { cause }) })
  expect([event.type, outcome.ok]).toEqual([event.type, true])
}

describe('GET /:object/:id/history', () => {
  test('200: the changes of a payment, oldest first, each with its cause', async () => {
    const { id, actor } = await openPayment(server.api, { merchantId: lamps.merchantId, livemode: false })
    await dispatch(actor, seen('too_little_seen', 1n), 'chain:31337')
    await dispatch(actor, seen('enough_seen', 1000n), 'chain:424242')
    await dispatch(actor, final('finalized', 1000n), 'timer')
    const record = await history(`payments/${id}`)
    expect(lines(record)).toEqual([
      '1 create: null > pending by system null null',
      '2 asset_picked: pending > pending by system null null',
      '3 too_little_seen: pending > pending by chain 31337 Sandbox',
      '4 enough_seen: pending > processing by chain 424242 null',
      '5 finalized: processing > success by timer null null',
    ])
    const rows = await server.sql<{ at: Date }[]>`select at from transitions where actor = ${actor} order by rev`
    expect(record).toEqual({
      object: 'list',
      data: record.data.map((entry, n) => ({
        ...{
          object: 'transition',
          id: `${id}:${n + 1}`,
          rev: n + 1,
          event: entry.event,
          from: entry.from,
          to: entry.to,
        },
        ...{ at: rows[n]?.at.toISOString(), cause: entry.cause },
      })),
      has_more: false,
    } as never)
  })

  test('200: a link that a key created, and a member has deactivated, with their names', async () => {
    const json = { amountMinor: 1000, currency: 'USD', description: 'A lamp' }
    const { json: link } = await ask('POST', '/payment-links', { json })
    const { id } = link as { id: string }
    const ben = await member(server.api, lamps, 'developer')
    await ask('POST', `/payment-links/${id}/deactivate`, { path: lamps.path, bearer: ben.bearer, json: {} })
    const [key] = await server.sql<{ id: string }[]>`
      select id from api_keys where merchant_id = ${lamps.merchantId} and not livemode`
    const { data } = await history(`payment-links/${id}`)
    expect(data.map(({ event, cause }) => [event, cause])).toEqual([
      ['create', { type: 'api_key', id: encodeId('key', key?.id ?? ''), name: 'A key' }],
      ['deactivate', { type: 'member', id: ben.id, name: ben.email }],
    ])
  })

  test.each([
    ['customer', { type: 'customer', id: null, name: null }],
    ['window', { type: 'timer', id: null, name: null }],
    ['operator', { type: 'operator', id: null, name: null }],
    [
      'signer:0x52908400098527886e0f7030069857d2e4169ee7',
      { type: 'system', id: '0x52908400098527886e0f7030069857d2e4169ee7', name: null },
    ],
    ['sender', { type: 'system', id: null, name: null }],
    [encodeId('usr', crypto.randomUUID()), { type: 'member', name: null }],
  ])('200: the cause %s', async (cause, wanted) => {
    const { id, actor } = await openPayment(server.api, { merchantId: lamps.merchantId, livemode: true })
    await dispatch(actor, { type: 'cancel' }, cause)
    expect((await history(`payments/${id}`)).data.at(-1)?.cause).toMatchObject(wanted)
  })

  test('200: a refund and a dispute', async () => {
    const refund = await makeRefund(server.api, { merchantId: lamps.merchantId, livemode: false })
    expect(lines(await history(`refunds/${refund}`))).toEqual([
      '1 create: null > requires_destination by system null null',
    ])
    const dispute = await makeDispute(server.api, lamps, { submit: true })
    expect((await history(`disputes/${dispute}`)).data.map(({ from, to }) => [from, to])).toEqual([
      [null, 'needs_response'],
      ['needs_response', 'under_review'],
    ])
  })

  test('200: an invoice', async () => {
    const owner = { merchantId: lamps.merchantId, livemode: false }
    const { id } = await makeInvoice(server.api, owner, { finalize: true })
    expect(lines(await history(`invoices/${id}`))).toEqual([
      '1 create: null > draft by system null null',
      '2 finalize: draft > open by system null null',
    ])
  })

  test('200: a delivery, with the starts of its attempts', async () => {
    const endpoint = await makeEndpoint(server.api, lamps)
    const actor = await sendTest(server.api, lamps, endpoint.row)
    const id = encodeId('whd', actor)
    const start = new Date('2026-11-20T12:00:00.250Z')
    const attempt = async (number: number, type?: string) => {
      await tell(actor, { type: 'attempt_started' })
      await server.sql`
        insert into delivery_attempts (delivery_id, number, trigger, worker, started_at)
        values (${actor}, ${number}, ${number === 1 ? 'automatic' : 'manual'}, gen_random_uuid(),
          ${new Date(start.getTime() + number * 1000)})`
      if (type) await end(number, type)
    }
    const end = async (number: number, type: string) => {
      const outcome = type === 'attempt_succeeded' ? 'delivered' : 'http_error'
      await server.sql`
        update delivery_attempts set finished_at = now(), outcome = ${outcome}
        where delivery_id = ${actor} and number = ${number}`
      await tell(actor, { type, attempt: number, jitter: 0, retryAfterSeconds: null })
    }
    const redeliver = () => ask('POST', `/deliveries/${id}/redeliver`, { path: lamps.path, bearer: lamps.owner.bearer })
    await attempt(1, 'attempt_failed')
    await redeliver()
    await attempt(2, 'attempt_succeeded')
    await redeliver()
    await attempt(3)
    const { data } = await history(`deliveries/${id}`)
    expect(lines(await history(`deliveries/${id}`))).toEqual([
      '1 create: null > pending by system null null',
      '2 attempt_started: pending > pending by system null null',
      '3 attempt_failed: pending > pending by system null null',
      `4 redeliver: pending > pending by member ${lamps.owner.id} ${lamps.owner.email}`,
      '5 attempt_started: pending > pending by system null null',
      '6 attempt_succeeded: pending > delivered by system null null',
      `7 redeliver: delivered > pending by member ${lamps.owner.id} ${lamps.owner.email}`,
      '8 attempt_started: pending > pending by system null null',
    ])
    expect([2, 5, 8].map(rev => data[rev - 1]?.at)).toEqual([
      '2026-11-20T12:00:01.250Z',
      '2026-11-20T12:00:02.250Z',
      '2026-11-20T12:00:03.250Z',
    ])
    const { json } = await ask('GET', `/deliveries/${id}`, { path: lamps.path, bearer: lamps.owner.bearer })
    expect(data[0]?.at).toBe((json as { createdAt: string }).createdAt)
    await expectWholePages(`deliveries/${id}`, idsOf(await history(`deliveries/${id}`)))
    await end(3, 'attempt_succeeded')
  })

  test('200: by pages, in both orders', async () => {
    const { id, actor } = await paid(server.api, { merchantId: lamps.merchantId, livemode: false })
    const [row] = await server.sql<{ rev: number }[]>`select rev from payments where id = ${actor}`
    const ids = Array.from({ length: row?.rev ?? 0 }, (_, n) => `${id}:${n + 1}`)
    expect(ids.length).toBeGreaterThan(3)
    await expectWholePages(`payments/${id}`, ids)
  })

  test.each([
    ['limit=0', 'parameter_invalid', 'limit'],
    ['order=up', 'parameter_invalid', 'order'],
    ['livemode=false', 'parameter_unknown', 'livemode'],
    ['startingAfter=', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=1', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=ID', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=ID:0', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=ID:01', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=ID:99', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=ID:99999999999', 'invalid_cursor', 'startingAfter'],
    ['startingAfter=pay_01m7ygh5qmfvg9bxgmmwc0qqnf:1', 'invalid_cursor', 'startingAfter'],
  ])('400: %s', async (query, code, param) => {
    const { id } = await openPayment(server.api, { merchantId: lamps.merchantId, livemode: false })
    const answer = await get(`payments/${id}`, `?${query.replace('ID', id)}`)
    expect([answer.status, answer.error]).toMatchObject([400, { code, param }])
  })

  test('404: an object of another merchant, or of another type', async () => {
    const chairs = await shop(server.api, 'Chairs')
    const { link, id } = await makeLink(server.api, { merchantId: chairs.merchantId, livemode: false })
    const asPayment = encodeId('pay', link.id)
    await expectMissing(one => get(`payment-links/${one}`), [...namesNothing(id), id, asPayment])
    expect((await get(`payments/${asPayment}`, '', chairs)).status).toBe(404)
    expect((await get(`payment-links/${id}`, '', chairs)).status).toBe(200)
  })

  test('200: for viewers', async () => {
    const vera = await member(server.api, lamps, 'viewer')
    const { id } = await openPayment(server.api, { merchantId: lamps.merchantId, livemode: false })
    expect((await get(`payments/${id}`, '', { ...lamps, owner: vera })).status).toBe(200)
  })
})

const tell = async (actor: string, event: { type: string } & Record<string, unknown>) => {
  const outcome = await server.api.actors.dispatch({ kind: 'delivery', actor, event })
  expect([event.type, outcome.ok]).toEqual([event.type, true])
}

/** The history has exactly these entries, given oldest first, also when it is read by pages. */
const expectWholePages = async (of: string, ids: readonly string[]) => {
  const all = await history(of)
  expect([all.has_more, idsOf(all)]).toEqual([false, ids as string[]])
  for (const [order, wanted] of [
    ['asc', ids],
    ['desc', ids.toReversed()],
  ] as const)
    for (let at = 0; at <= wanted.length; at += 2) {
      const page = await history(of, `?limit=2&order=${order}${at > 0 ? `&startingAfter=${wanted[at - 1]}` : ''}`)
      expect([page.has_more, idsOf(page)]).toEqual([wanted.length > at + 2, wanted.slice(at, at + 2)])
    }
}
