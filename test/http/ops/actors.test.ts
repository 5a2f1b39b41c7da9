import { describe, expect, test } from 'bun:test'
import { routes } from '../../../src/http/routes.ts'
import { encodeId } from '../../../src/ids.ts'
import { makeDispute } from '../disputes.ts'
import { makePayment } from '../payments.ts'
import { operator } from '../people.ts'
import { customerAddress, makeRefund } from '../refunds.ts'
import { twoShops } from '../two-shops.ts'
import { makeEndpoint, sendTest } from '../webhooks.ts'

const { server, lamps } = await twoShops({ routes })
const { bearer } = await operator(server.api)
const mode = { merchantId: lamps.merchantId, livemode: false }

type Seen = {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly context: Readonly<Record<string, unknown>>
  readonly possible: readonly {
    readonly event: string
    readonly by: string
    readonly operator: boolean
    readonly guards: readonly { readonly name: string; readonly holds: boolean | null }[]
  }[]
  readonly timers: readonly { readonly name: string; readonly dueAt: string }[]
  readonly jobs: readonly { readonly task: string; readonly lastError: string | null }[]
  readonly related: readonly { readonly relation: string; readonly kind: string; readonly id: string }[]
}

const get = async (id: string) => (await server.call('GET', `/v1/ops/actors/${id}`, { bearer })).json as Seen
const possible = ({ possible }: Seen, name: string) => possible.find(({ event }) => event === name)

describe('GET /v1/ops/actors/:id', () => {
  test('200: a payment, with guards evaluated on its own context', async () => {
    const late = await get((await makePayment(server.api, mode, 'late')).id)
    expect(possible(late, 'dismiss')).toEqual({
      event: 'dismiss',
      by: 'merchant',
      operator: true,
      guards: [{ name: 'needsAttention', holds: true }],
    })
    const made = await makePayment(server.api, mode, 'picked')
    const fresh = await get(made.id)
    expect(fresh).toMatchObject({ kind: 'payment', state: 'pending', machineVersion: 1, stuck: null, rev: 2 })
    expect(possible(fresh, 'dismiss')?.guards).toEqual([{ name: 'needsAttention', holds: false }])
    expect(possible(fresh, 'cancel')).toMatchObject({ by: 'merchant', operator: false, guards: [{ holds: true }] })
    // It depends on what is seen.
    expect(possible(fresh, 'enough_seen')).toMatchObject({ by: 'chain' })
    expect(possible(fresh, 'enough_seen')?.guards.map(({ holds }) => holds)).toEqual([null, null])
    expect(possible(fresh, 'end_window')).toMatchObject({ operator: true })
    const live = await makePayment(server.api, { ...mode, livemode: true }, 'picked')
    expect(possible(await get(live.id), 'end_window')).toMatchObject({ operator: false })
    expect(fresh.related).toContainEqual({
      relation: 'payment_link',
      kind: 'payment_link',
      id: made.linkId,
      state: 'active',
    } as never)
    expect(fresh.possible.map(({ event }) => event)).not.toContain('finalized')
  })

  test('200: armed timers, and who sends their events', async () => {
    const id = await makeDispute(server.api, lamps, { submit: false })
    const dispute = await get(id)
    expect(dispute.timers.map(({ name }) => name)).toEqual(['evidenceDue.dispute.needs_response'])
    expect(possible(dispute, 'after.evidenceDue.dispute.needs_response')).toMatchObject({
      by: 'timer',
      operator: false,
    })
    expect(dispute.related.map(({ relation }) => relation)).toContain('payment')
  })

  test('200: the queued job of a refund, with its last error without values', async () => {
    const id = await makeRefund(server.api, mode, customerAddress)
    await server.sql`
      update graphile_worker._private_jobs
      set attempts = 2, last_error = 'cannot sign for "anna@lamps.shop" at https://rpc.example/key-1234
  at line 7'`
    const refund = await get(id)
    expect(refund.jobs).toMatchObject([{ task: 'sign-refund', lastError: 'cannot sign for … at …' }])
    const payment = await get(refund.related.find(({ relation }) => relation === 'payment')?.id ?? '')
    expect(payment.related).toContainEqual(expect.objectContaining({ relation: 'refund', id }))
  })

  test('200: a payment link and its payments', async () => {
    const { id, linkId } = await makePayment(server.api, mode, 'new')
    expect((await get(linkId)).related).toEqual([
      { relation: 'payment', kind: 'payment', id, state: 'pending' } as never,
    ])
  })

  test('200: a delivery and what its event is about', async () => {
    const { row } = await makeEndpoint(server.api, lamps, { eventTypes: ['payment.created'] })
    const { id } = await makePayment(server.api, mode, 'new')
    const payment = await get(id)
    const delivery = payment.related.find(({ relation }) => relation === 'delivery')
    const seen = await get(delivery?.id ?? '')
    expect(seen.related).toEqual([expect.objectContaining({ relation: 'subject', kind: 'payment', id })])
    expect(possible(seen, 'attempt_started')).toMatchObject({ by: 'system', guards: [{ name: 'isDue', holds: true }] })
    // A test event is about its endpoint, which is no actor.
    const sent = await sendTest(server.api, lamps, row)
    expect((await get(encodeId('whd', sent))).related).toEqual([])
  })
})

describe('GET /v1/ops/search', () => {
  const search = async (q: string) => {
    const { json } = await server.call('GET', `/v1/ops/search?q=${encodeURIComponent(q)}`, { bearer })
    return (json as { data: { kind: string; id: string; state: string }[] }).data.map(({ kind, id }) => `${kind} ${id}`)
  }

  test('200: actors by ID, event ID, reference, transaction hash, and addresses in any case', async () => {
    await makeEndpoint(server.api, lamps, { eventTypes: ['payment.created'] })
    const made = await makePayment(server.api, mode, 'success', { reference: 'order 4711' })
    const payment = `payment ${made.id}`
    expect(await search(made.id)).toEqual([payment])
    expect(await search(` ${made.linkId} `)).toEqual([`payment_link ${made.linkId}`])
    expect(await search('order 4711')).toEqual([payment])
    const [event] = await server.sql<{ id: string }[]>`
      select id from events where actor = ${made.actor} and type = 'payment.created'`
    const ofEvent = await search(event?.id ?? '')
    expect(ofEvent).toContain(payment)
    expect(ofEvent.some(each => each.startsWith('delivery whd_'))).toBe(true)
    const refund = await makeRefund(server.api, mode, customerAddress)
    expect(await search(customerAddress.toUpperCase().replace('0X', '0x'))).toContain(`refund ${refund}`)
    const payer = `0x${'7'.repeat(40)}`
    await server.sql`update payments set payer_address = ${payer} where id = ${made.actor}`
    expect(await search(payer)).toEqual([payment])
    await server.sql`update payments set payer_address = null where id = ${made.actor}`
    const txHash = `0x${'ab'.repeat(32)}`
    await server.sql`
      insert into transfers values (31337, ${txHash}, 0, 1, ${txHash}, now(), ${made.actor}, null, null, ${made.address}, 1, 'orphaned')`
    expect(await search(txHash.toUpperCase().replace('0X', '0x'))).toEqual([payment])
    await server.sql`delete from transfers where tx_hash = ${txHash}`
  })

  test('200: nothing, and e-mail addresses are not searched', async () => {
    const made = await makePayment(server.api, mode, 'new', { customerEmail: 'marked@lamps.example' })
    for (const q of ['marked@lamps.example', 'x', '%', `${made.id}0`, "' or 1=1 --"])
      expect(await search(q)).toEqual([])
  })

  test('400: an empty text, or one that is too long', async () => {
    for (const query of ['?q=', `?q=${'x'.repeat(201)}`])
      expect((await server.call('GET', `/v1/ops/search${query}`, { bearer })).status).toBe(400)
  })
})
