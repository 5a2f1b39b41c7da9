import { afterAll, describe, expect, test } from 'bun:test'
import { routes } from '../../src/http/routes.ts'
import { decodeId, encodeId } from '../../src/ids.ts'
import { insertKey } from '../access/keys.ts'
import { issueAddress, openLedger } from '../chain/watch/ledger.ts'
import { apiServer } from '../harness/api.ts'
import { makeDispute } from './disputes.ts'
import { makeLink } from './links.ts'
import { idsOf } from './lists.ts'
import { makePayment, openPayment, paid } from './payments.ts'
import { shop } from './people.ts'
import { customerAddress, makeRefund } from './refunds.ts'
import type { Page } from './two-shops.ts'

const server = await apiServer({ routes, env: { API_RATE_LIMIT_TEST: '0', API_RATE_LIMIT_LIVE: '0' } })
// Not audited: tests change rows.
afterAll(() => server[Symbol.asyncDispose]())

const page = async <Item>(path: string, { path: at = '/v1', bearer }: { path?: string; bearer: string }) => {
  const { status, json } = await server.call('GET', `${at}${path}`, { bearer })
  return { status, ...(json as Page<Item>) }
}
const ledger = await openLedger(server.sql)

/** A merchant of its own, and what its key finds. */
const searching = async () => {
  const here = await shop(server.api)
  const bearer = (await insertKey(server.sql, here)).secret
  const find = async (list: string, query: Readonly<Record<string, string | readonly string[]>>) => {
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      (typeof value === 'string' ? [value] : value).map((each): [string, string] => [name, each]),
    )
    const { status, data } = await page<{ readonly id: string }>(`/${list}?${new URLSearchParams(pairs)}`, { bearer })
    return status === 200 ? idsOf({ data }) : status
  }
  return { here, whose: { merchantId: here.merchantId, livemode: false }, find }
}

const actorOf = (id: string) => decodeId(id.split('_')[0] as 'pay', id) ?? ''

describe('payments are found by', () => {
  test('their id, the id of their link, and their reference', async () => {
    const { find, whose } = await searching()
    const first = await makePayment(server.api, whose, 'new', { reference: 'order 7' })
    const second = await makePayment(server.api, whose, 'success', { reference: 'order 8' })
    expect(await find('payments', { q: first.id })).toEqual([first.id])
    expect(await find('payments', { q: second.linkId })).toEqual([second.id])
    expect(await find('payments', { q: 'order 8' })).toEqual([second.id])
    for (const q of ['order', 'order 70', 'Order 7', ` ${first.id}`, first.id.slice(0, -1), first.id.toUpperCase()])
      expect(await find('payments', { q })).toEqual([])
  })

  test('a reference that looks like anything else', async () => {
    const { find, whose } = await searching()
    const texts = [
      `0x${'ab'.repeat(20)}`,
      `0x${'cd'.repeat(32)}`,
      encodeId('pay', crypto.randomUUID()),
      'ada@example.com',
      "' or 1=1 --",
      '%',
    ]
    for (const reference of texts) {
      const { id } = await makePayment(server.api, whose, 'new', { reference, customerEmail: 'ben@example.com' })
      expect(await find('payments', { q: reference })).toEqual([id])
    }
  })

  test('the hash of any of their transactions, and their own and their payer’s address, in any case', async () => {
    const { find, whose } = await searching()
    const made = [await openPayment(server.api, whose), await openPayment(server.api, whose)]
    for (const payment of made) await issueAddress(server.sql, payment)
    const [one, other] = made.map(({ id, address }) => ({ id, address: address.toLowerCase() }))
    if (!one || !other) throw new Error('no payments were made')
    const tx = (n: number) => `0x${String(n).repeat(64)}`
    await ledger.block([
      { to: one.address, amount: 400n, tx: tx(1) },
      { to: other.address, amount: 400n, tx: tx(1) },
      { to: one.address, amount: 100n, tx: tx(2) },
    ])
    expect(await find('payments', { q: tx(1) })).toEqual([other.id, one.id])
    expect(await find('payments', { q: tx(2) })).toEqual([one.id])
    expect(await find('payments', { q: `0x${'A'.repeat(64)}` })).toEqual([])
    expect(await find('payments', { q: one.address })).toEqual([one.id])
    expect(await find('payments', { q: `0x${other.address.slice(2).toUpperCase()}` })).toEqual([other.id])

    await server.sql`
      update payments set payer_address = ${`0x${'e'.repeat(40)}`} where id in ${server.sql(made.map(({ actor }) => actor))}`
    expect(await find('payments', { q: `0x${'E'.repeat(40)}` })).toEqual([other.id, one.id])
  })

  test('the beginning of the e-mail address, of three characters or more, in any case', async () => {
    const { find, whose } = await searching()
    const emails = [
      'Ada.Lovelace@Example.com',
      'ada@example.com',
      'adam@example.com',
      'ÄDA@example.com',
      '%da@example.com',
    ]
    const ids: string[] = []
    for (const customerEmail of emails) ids.push((await makePayment(server.api, whose, 'new', { customerEmail })).id)
    const [lovelace = '', ada = '', adam = '', umlaut = '', percent = ''] = ids
    expect(await find('payments', { q: 'ada' })).toEqual([adam, ada, lovelace])
    expect(await find('payments', { q: 'ADA@' })).toEqual([ada])
    expect(await find('payments', { q: 'ada.lovelace@example.com' })).toEqual([lovelace])
    expect(await find('payments', { q: 'ÄDA' })).toEqual([umlaut])
    expect(await find('payments', { q: '%da' })).toEqual([percent])
    for (const q of ['ad', 'a', '@example.com', 'ada@example.comx', 'ad%', '_da', 'a.*'])
      expect(await find('payments', { q })).toEqual([])
  })

  test('several of these, once', async () => {
    const { find, whose } = await searching()
    const { id } = await makePayment(server.api, whose, 'new', { reference: 'ada@', customerEmail: 'ada@example.com' })
    expect(await find('payments', { q: 'ada@' })).toEqual([id])
  })

  test('nothing of another merchant, or of the other mode', async () => {
    const [mine, theirs] = [await searching(), await searching()]
    const more = { reference: 'order 9', customerEmail: 'zoe@example.com' }
    const live = await makePayment(server.api, { ...mine.whose, livemode: true }, 'success', more)
    const foreign = await makePayment(server.api, theirs.whose, 'success', more)
    for (const q of ['order 9', 'zoe@', live.id, foreign.id, foreign.linkId, foreign.address, live.address])
      expect(await mine.find('payments', { q })).toEqual([])
  })
})

describe('all filters combine with and', () => {
  test('on payments, by pages', async () => {
    const { find, whose } = await searching()
    const made: { id: string; status: string; email: string }[] = []
    const link = await makeLink(server.api, whose)
    for (const [n, status] of [
      'new',
      'success',
      'failed',
      'expired',
      'success',
      'canceled',
      'new',
      'success',
    ].entries()) {
      const email = n % 2 === 0 ? 'even@example.com' : 'uneven@example.com'
      const { id } = await makePayment(server.api, whose, status, {
        customerEmail: email,
        reference: n < 4 ? 'early' : 'late',
      })
      made.push({ id, status: status === 'new' ? 'pending' : status, email })
      if (n < 6) await server.sql`update payments set payment_link_id = ${link.link.id} where id = ${actorOf(id)}`
      await server.sql`update payments set created_at = ${new Date(Date.UTC(2026, 0, 1 + n))} where id = ${actorOf(id)}`
    }
    const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString()
    const wanted = (fits: (each: (typeof made)[number], n: number) => boolean) =>
      made
        .filter(fits)
        .map(({ id }) => id)
        .toReversed()

    const statuses = ['success', 'expired']
    expect(await find('payments', { status: statuses })).toEqual(wanted(({ status }) => statuses.includes(status)))
    expect(await find('payments', { status: Array(10).fill('success') })).toEqual(
      wanted(({ status }) => status === 'success'),
    )
    expect(await find('payments', { createdAfter: day(2), createdBefore: day(5) })).toEqual(
      wanted((_, n) => n >= 2 && n < 5),
    )
    expect(await find('payments', { createdAfter: day(5), createdBefore: day(2) })).toEqual([])
    expect(await find('payments', { createdAfter: '2999-01-01T00:00:00Z' })).toEqual([])
    expect(await find('payments', { createdBefore: '1970-01-01T00:00:00Z' })).toEqual([])
    const all = { q: 'even@', status: statuses, paymentLinkId: link.id, createdAfter: day(1), createdBefore: day(6) }
    expect(await find('payments', all)).toEqual(
      wanted(({ status, email }, n) => n >= 1 && n < 6 && statuses.includes(status) && email.startsWith('even')),
    )
    expect(await find('payments', { ...all, reference: 'late' })).toEqual(wanted((_, n) => n === 4))
    expect(await find('payments', { ...all, reference: 'early' })).toEqual([])
    expect(await find('payments', { q: link.id, status: 'failed' })).toEqual(wanted((_, n) => n === 2))

    const [newest = '', older = '', ...rest] = wanted(({ status }) => status !== 'canceled')
    const few = { status: ['pending', 'success', 'failed', 'expired', 'processing'], limit: '2' }
    expect(await find('payments', few)).toEqual([newest, older])
    expect(await find('payments', { ...few, startingAfter: older ?? '' })).toEqual(rest.slice(0, 2))
    expect(await find('payments', { ...few, order: 'asc', startingAfter: rest[0] ?? '' })).toEqual([older, newest])
  })

  test('the time of creation is compared to the millisecond: the first included, the last not', async () => {
    const { find, whose } = await searching()
    const { id } = await makePayment(server.api, whose, 'new')
    await server.sql`update payments set created_at = '2026-03-01T12:00:00.500Z' where id = ${actorOf(id)}`
    expect(await find('payments', { createdAfter: '2026-03-01T12:00:00.500Z' })).toEqual([id])
    expect(await find('payments', { createdAfter: '2026-03-01T12:00:00.501Z' })).toEqual([])
    expect(await find('payments', { createdBefore: '2026-03-01T12:00:00.501Z' })).toEqual([id])
    expect(await find('payments', { createdBefore: '2026-03-01T12:00:00.500Z' })).toEqual([])
    expect(await find('payments', { createdAfter: '2026-03-01T12:00:00Z' })).toEqual([id])
  })
})

test('payment links are found by id and reference, and filtered', async () => {
  const { find, whose } = await searching()
  const one = await makeLink(server.api, whose, { reference: 'order 1' })
  const two = await makeLink(server.api, whose, { reference: 'order 2' })
  await server.api.actors.dispatch({ kind: 'payment_link', actor: two.link.id, event: { type: 'deactivate' } })
  expect(await find('payment-links', { q: one.id })).toEqual([one.id])
  expect(await find('payment-links', { q: 'order 2' })).toEqual([two.id])
  expect(await find('payment-links', { q: 'order 2', status: 'active' })).toEqual([])
  expect(await find('payment-links', { q: 'order' })).toEqual([])
  expect(await find('payment-links', { status: ['active', 'deactivated', 'expired'] })).toEqual([two.id, one.id])
  expect(await find('payment-links', { status: ['active', 'completed'] })).toEqual([one.id])
  const createdAfter = one.link.createdAt.toISOString()
  expect(await find('payment-links', { createdAfter, reference: 'order 2', status: 'deactivated' })).toEqual([two.id])
  expect(await find('payment-links', { createdBefore: createdAfter })).toEqual([])
})

test('refunds are found by id, payment, destination and transaction, and by reference and e-mail of the payment', async () => {
  const { find, whose } = await searching()
  const waiting = await makeRefund(server.api, whose)
  const signable = await makeRefund(server.api, whose, customerAddress)
  const [row] = await server.sql<{ payment_id: string }[]>`
    select payment_id from refunds where id = ${actorOf(signable)}`
  const paymentId = row?.payment_id ?? ''
  await server.sql`
    update payments set reference = 'order 3', customer_email = 'Zoe@example.com' where id = ${paymentId}`
  for (const q of [
    signable,
    encodeId('pay', paymentId),
    'order 3',
    'zoe@',
    customerAddress,
    customerAddress.toLowerCase(),
  ])
    expect([q, await find('refunds', { q })]).toEqual([q, [signable]])
  expect(await find('refunds', { q: waiting })).toEqual([waiting])
  const hash = `0x${'7f'.repeat(32)}`
  await server.sql`update refunds set state = 'processing', tx_hash = ${hash} where id = ${actorOf(signable)}`
  expect(await find('refunds', { q: hash })).toEqual([signable])
  await server.sql`update refunds set stray_tx_hash = ${hash} where id = ${actorOf(waiting)}`
  expect(await find('refunds', { q: hash.toUpperCase().replace('X', 'x') })).toEqual([signable, waiting])
  expect(await find('refunds', { q: hash, status: 'requires_destination' })).toEqual([waiting])
  expect(await find('refunds', { status: ['requires_destination', 'processing'] })).toEqual([signable, waiting])
  expect(
    await find('refunds', { q: 'zoe@', paymentId: encodeId('pay', paymentId), status: ['failed', 'processing'] }),
  ).toEqual([signable])
  // For the audit at the end.
  await server.sql`update refunds set stray_tx_hash = null where id = ${actorOf(waiting)}`
  await server.sql`update refunds set state = 'requires_signature', tx_hash = null where id = ${actorOf(signable)}`
})

test('disputes are found by id and payment, and by reference and e-mail of the payment', async () => {
  const { find, here } = await searching()
  const open = await makeDispute(server.api, here, { submit: false })
  const submitted = await makeDispute(server.api, here, { submit: true })
  const [row] = await server.sql<{ payment_id: string }[]>`select payment_id from disputes where id = ${actorOf(open)}`
  const paymentId = row?.payment_id ?? ''
  await server.sql`update payments set reference = 'order 4', customer_email = 'yan@example.com' where id = ${paymentId}`
  for (const q of [open, encodeId('pay', paymentId), 'order 4', 'YAN@'])
    expect([q, await find('disputes', { q })]).toEqual([q, [open]])
  expect(await find('disputes', { q: 'order 4', status: 'under_review' })).toEqual([])
  expect(await find('disputes', { status: ['under_review', 'needs_response'] })).toEqual([submitted, open])
})

test('events are found by the object that they are about', async () => {
  const { find, whose } = await searching()
  const other = await searching()
  const payment = await makePayment(server.api, whose, 'success')
  const { actor } = await paid(server.api, whose)
  const events = await find('events', { objectId: payment.id })
  const rows = await server.sql<{ id: string; type: string }[]>`
    select id, type from events where actor = ${payment.actor} order by seq desc`
  expect(events).toEqual(rows.map(({ id }) => id))
  const [succeeded] = rows.filter(({ type }) => type === 'payment.succeeded')
  expect(await find('events', { objectId: payment.id, type: 'payment.succeeded' })).toEqual([succeeded?.id ?? ''])
  expect(await find('events', { objectId: payment.id, limit: '1', order: 'asc' })).toEqual([rows.at(-1)?.id ?? ''])
  expect(await find('events', { objectId: payment.id, startingAfter: rows[0]?.id ?? '' })).toEqual(
    rows.slice(1).map(({ id }) => id),
  )
  expect(await find('events', { objectId: encodeId('pay', actor), type: 'payment.late' })).toEqual([])
  expect(await find('events', { objectId: encodeId('re', crypto.randomUUID()) })).toEqual([])
  expect(await other.find('events', { objectId: payment.id })).toEqual([])
  for (const objectId of ['', 'x', payment.actor, 'pay_', `${payment.id}0`, `toString_${payment.id.slice(4)}`])
    expect(await find('events', { objectId })).toBe(400)
})

test('payments and refunds tell whether they need attention, and events do not', async () => {
  const { whose, here } = await searching()
  const bearer = (await insertKey(server.sql, here)).secret
  const read = async (path: string) => {
    const { json } = await server.call('GET', `/v1/${path}`, { bearer })
    return json as { attention: boolean }
  }
  const [good, late] = [await makePayment(server.api, whose, 'success'), await makePayment(server.api, whose, 'late')]
  expect((await read(`payments/${good.id}`)).attention).toBe(false)
  expect((await read(`payments/${late.id}`)).attention).toBe(true)
  const { data } = await page<{ id: string; attention: boolean }>('/payments', { bearer })
  expect(data.map(({ attention }) => attention)).toEqual([true, false])

  // No chain is enabled here, so a refund that is not over needs attention.
  const refund = await makeRefund(server.api, whose)
  expect((await read(`refunds/${refund}`)).attention).toBe(true)
  expect((await page<{ attention: boolean }>('/refunds', { bearer })).data.map(each => each.attention)).toEqual([true])
  const asOwner = { path: here.path, bearer: here.owner.bearer }
  const needing = await page<{ id: string }>('/refunds?attention=true', asOwner)
  expect(idsOf(needing)).toEqual([refund])
  await server.call('POST', `${here.path}/refunds/${refund}/cancel`, { bearer: here.owner.bearer })
  expect((await read(`refunds/${refund}`)).attention).toBe(false)
  const events = await server.sql<
    { object: object }[]
  >`select json_of(object) as object from events where merchant_id = ${here.merchantId}`
  expect(events.length).toBeGreaterThan(3)
  for (const { object } of events) expect(object).not.toHaveProperty('attention')
})
