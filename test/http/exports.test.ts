import { describe, expect, test } from 'bun:test'
import { eraseCustomer } from '../../src/commands/customer-erasures.ts'
import { auditLogRoutes } from '../../src/http/audit-log.ts'
import { balanceRoutes } from '../../src/http/balances.ts'
import { creditNoteRoutes } from '../../src/http/credit-notes.ts'
import { customerRoutes } from '../../src/http/customers.ts'
import { exportNames } from '../../src/http/exports/kinds.ts'
import { exportRoutes } from '../../src/http/exports/routes.ts'
import { invoiceRoutes } from '../../src/http/invoices.ts'
import { paymentRoutes } from '../../src/http/payments.ts'
import { refundRoutes } from '../../src/http/refunds.ts'
import { subscriptionRoutes } from '../../src/http/subscriptions.ts'
import { encodeId } from '../../src/ids.ts'
import { makeCreditNote } from './credit-notes.ts'
import { makeCustomer } from './customers.ts'
import { copyPayments, exportCalls, wide } from './export-calls.ts'
import { makeInvoice } from './invoices.ts'
import { makePayment } from './payments.ts'
import { member } from './people.ts'
import { customerAddress, makeRefund } from './refunds.ts'
import { makeSubscription } from './subscriptions.ts'
import { twoShops } from './two-shops.ts'

const shops = await twoShops({
  routes: [
    ...exportRoutes,
    ...paymentRoutes,
    ...refundRoutes,
    ...invoiceRoutes,
    ...creditNoteRoutes,
    ...subscriptionRoutes,
    ...customerRoutes,
    ...balanceRoutes,
    ...auditLogRoutes,
  ],
  env: { CHECKOUT_RATE_LIMIT: '0' },
})
const { server, lamps, chairs, ask } = shops
const { api, sql } = server
const { get, records, post } = exportCalls(shops)
const mode = { merchantId: lamps.merchantId, livemode: false }
const [developer, viewer] = [await member(api, lamps, 'developer'), await member(api, lamps, 'viewer')]

const customer = (await makeCustomer(api, mode, { name: 'Ada', reference: 'ada 1', company: '=1+1' })).customer.id
for (const situation of ['success', 'new', 'expired', 'late', 'failed']) await makePayment(api, mode, situation)
const paidPayment = await makePayment(api, mode, 'success')
const refundIds = [await makeRefund(api, mode), await makeRefund(api, mode, customerAddress)]
const invoice = await makeInvoice(api, mode, { customerId: customer, finalize: true, reference: 'order 7' })
await makeInvoice(api, mode)
const note = await makeCreditNote(api, mode)
const subscription = await makeSubscription(api, mode, { customerId: customer })
await makePayment(api, { ...mode, livemode: true })
await makePayment(api, { merchantId: chairs.merchantId, livemode: false })

const kinds = exportNames.filter(name => name !== 'balances')
const idOf = (text: string) => encodeId('cus', text)

describe('the records of an export', () => {
  test.each(kinds)('%s are those of the list for viewers, oldest first', async kind => {
    const { data, has_more } = await shops.page<object>(`/${kind}?limit=100`, {
      ...{ path: lamps.path, bearer: viewer.bearer },
    })
    expect(has_more).toBe(false)
    const exported = await records(kind)
    expect(exported.length).toBeGreaterThan(0)
    const byOrder = [...(data as typeof exported)].sort((a, b) =>
      `${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? -1 : 1,
    )
    expect<object[]>(exported).toEqual(byOrder)
  })

  test('are in the order of the time of creation, as shown, and the id', async () => {
    const { actor } = await makePayment(api, mode, 'success')
    // Not in the order of the list, and several in one millisecond, whose parts are in another order than the IDs.
    await copyPayments(shops, actor, 1_100, `timestamptz '2026-03-05T12:00:00.0005Z' + n * interval '1 s'`)
    await sql`
      update payments set created_at = created_at - ('x' || substr(id::text, 1, 2))::bit(8)::integer * interval '1 s'
        + (15 - ('x' || substr(id::text, 3, 1))::bit(4)::integer) * interval '30 microseconds'
      where created_at < '2026-04-01'`
    const found = await records('payments', { from: '2026-03-01', to: '2026-04-01' })
    const keys = found.map(({ createdAt, id }) => `${createdAt} ${id}`)
    expect(keys.length).toBe(1_100)
    expect(new Set(found.map(({ createdAt }) => createdAt)).size).toBeLessThan(300)
    expect(keys).toEqual([...keys].sort())
    await sql`delete from payments where created_at < '2026-04-01'`
  })

  test('are of one mode and of one merchant', async () => {
    const live = await records('payments', { livemode: 'true' })
    expect(live.map(({ livemode }) => livemode)).toEqual([true])
    expect((await records('payments')).every(({ livemode }) => livemode === false)).toBe(true)
    const others = await records('payments', {}, { path: chairs.path, bearer: chairs.owner.bearer })
    expect(others.map(({ merchantId }) => merchantId)).toEqual([encodeId('mer', chairs.merchantId)])
    expect(await get('payments.csv', {}, { path: chairs.path })).toMatchObject({ status: 404 })
  })

  const filters: readonly (readonly [kind: string, query: string])[] = [
    ['payments', 'status=success'],
    ['payments', 'status=success&status=expired'],
    ['payments', `paymentLinkId=${paidPayment.linkId}`],
    ['payments', 'attention=true'],
    ['payments', `q=${paidPayment.id}`],
    ['payments', 'q=ada'],
    ['payments', 'q=no-one@here'],
    ['payments', 'reference=nothing'],
    ['payments', `createdBefore=${new Date().toISOString()}`],
    ['payments', `createdAfter=${new Date(Date.now() + 3_600_000).toISOString()}`],
    ['refunds', 'status=requires_destination'],
    ['refunds', `q=${refundIds[0]}`],
    ['refunds', `q=${customerAddress}`],
    ['refunds', 'attention=true'],
    ['invoices', 'status=open'],
    ['invoices', `customerId=${idOf(customer)}`],
    ['invoices', 'reference=order%207'],
    ['invoices', `number=${invoice.invoice.context.number}`],
    ['invoices', 'overdue=true'],
    ['invoices', 'dueBefore=2099-01-01'],
    ['invoices', `subscriptionId=${encodeId('sub', subscription.id)}`],
    ['credit-notes', `invoiceId=${encodeId('inv', note.note.context.invoiceId)}`],
    ['credit-notes', `customerId=${idOf(customer)}`],
    ['subscriptions', 'status=trialing'],
    ['subscriptions', 'status=active'],
    ['subscriptions', `customerId=${idOf(customer)}`],
    ['customers', 'email=missing@example.com'],
    ['customers', 'reference=ada%201'],
    ['customers', 'q=ada'],
  ]
  test.each(filters)('%s have the filters of the list: %s', async (kind, query) => {
    const listed = await shops.page<{ id: string }>(`/${kind}?limit=100&${query}`, {
      ...{ path: lamps.path, bearer: lamps.owner.bearer },
    })
    const exported = await records(kind, `${new URLSearchParams(wide)}&${query}`)
    expect(exported.map(({ id }) => id).sort()).toEqual(listed.data.map(({ id }) => id).sort())
  })

  test('the filters above find some records and not all', async () => {
    const found = new Map<string, Set<number>>()
    for (const [kind, query] of filters)
      found.set(
        kind,
        (found.get(kind) ?? new Set()).add((await records(kind, `${new URLSearchParams(wide)}&${query}`)).length),
      )
    for (const [kind, counts] of found) {
      const all = (await records(kind)).length
      expect([kind, Math.max(...counts) > 0, Math.min(...counts) < all]).toEqual([kind, true, true])
    }
  })
})

describe('the range', () => {
  const refused = async (query: Readonly<Record<string, string>>, kind = 'payments') => {
    const answer = await get(`${kind}.csv`, String(new URLSearchParams(query)))
    return [answer.status, answer.error?.code, answer.error?.param]
  }

  test.each([...kinds])('is required for %s', async kind => {
    expect(await refused({ to: '2026-01-02' }, kind)).toEqual([400, 'parameter_missing', 'from'])
    expect(await refused({ from: '2026-01-02' }, kind)).toEqual([400, 'parameter_missing', 'to'])
    expect((await post({ kind, format: 'csv', from: '2026-01-02' })).error).toMatchObject({
      ...{ code: 'parameter_missing', param: 'to' },
    })
  })

  test('is refused when it is empty, reversed, no time or longer than 400 days', async () => {
    expect(await refused({ from: '2026-01-02', to: '2026-01-02' })).toEqual([400, 'parameter_invalid', 'to'])
    expect(await refused({ from: '2026-01-02', to: '2026-01-01' })).toEqual([400, 'parameter_invalid', 'to'])
    expect(await refused({ from: '2026-02-30', to: '2026-03-02' })).toEqual([400, 'parameter_invalid', 'from'])
    expect(await refused({ from: '0000-01-01', to: '0000-01-02' })).toEqual([400, 'parameter_invalid', 'from'])
    expect(await refused({ from: '2026-01-01', to: 'soon' })).toEqual([400, 'parameter_invalid', 'to'])
    expect(await refused({ from: '2025-01-01', to: '2026-02-06' })).toEqual([400, 'parameter_invalid', 'to'])
    expect((await get('payments.csv', { from: '2025-01-01', to: '2026-02-05' })).status).toBe(200)
    const at = '2025-01-01T00:00:00.000Z'
    expect(await refused({ from: at, to: '2026-02-05T00:00:00.001Z' })).toEqual([400, 'parameter_invalid', 'to'])
    expect((await get('payments.csv', { from: at, to: '2026-02-05T00:00:00.000Z' })).status).toBe(200)
  })

  test('may have 400 days of the calendar that are an hour longer', async () => {
    await sql`update billing_settings set time_zone = 'Europe/Berlin' where merchant_id = ${lamps.merchantId}`
    // From summer time into winter time.
    expect((await get('payments.csv', { from: '2025-10-01', to: '2026-11-05' })).status).toBe(200)
    await sql`update billing_settings set time_zone = 'UTC' where merchant_id = ${lamps.merchantId}`
  })

  test('contains its beginning and not its end, and days are those of the merchant', async () => {
    const { actor, id } = await makePayment(api, mode, 'success')
    const [made] = await sql<{ at: string }[]>`select created_at::text as at from payments where id = ${actor}`
    const place = async (at: string, query: Readonly<Record<string, string>>) => {
      await sql`update payments set created_at = ${at} where id = ${actor}`
      return (await records('payments', query)).some(each => each.id === id)
    }
    const times = { from: '2026-05-01T10:00:00.000Z', to: '2026-05-01T11:00:00.000Z' }
    expect(await place('2026-05-01T09:59:59.999Z', times)).toBe(false)
    expect(await place('2026-05-01T10:00:00.000Z', times)).toBe(true)
    expect(await place('2026-05-01T10:59:59.999Z', times)).toBe(true)
    expect(await place('2026-05-01T11:00:00.000Z', times)).toBe(false)
    await sql`update billing_settings set time_zone = 'Europe/Berlin' where merchant_id = ${lamps.merchantId}`
    const day = { from: '2026-05-01', to: '2026-05-02' }
    expect(await place('2026-04-30T21:59:59.999Z', day)).toBe(false)
    expect(await place('2026-04-30T22:00:00.000Z', day)).toBe(true)
    expect(await place('2026-05-01T21:59:59.999Z', day)).toBe(true)
    expect(await place('2026-05-01T22:00:00.000Z', day)).toBe(false)
    await sql`update billing_settings set time_zone = 'UTC' where merchant_id = ${lamps.merchantId}`
    await sql`update payments set created_at = ${made?.at ?? ''} where id = ${actor}`
  })

  test.each([
    ['payments.csv', 'limit=10', 'limit'],
    ['payments.csv', 'startingAfter=x', 'startingAfter'],
    ['payments.csv', 'order=asc', 'order'],
    ['payments.csv', 'overdue=true', 'overdue'],
    ['payments.csv', 'status=open', 'status'],
    ['payments.csv', 'q=', 'q'],
    ['payments.ndjson', 'bom=true', 'bom'],
    ['payments.csv', 'bom=yes', 'bom'],
    ['customers.csv', 'status=open', 'status'],
    ['balances.csv', 'from=2026-01-01', 'from'],
  ])('400: %s?%s', async (file, query, param) => {
    const answer = await get(file, file.startsWith('balances') ? query : `${new URLSearchParams(wide)}&${query}`)
    expect([answer.status, answer.error?.param]).toEqual([400, param])
  })

  test('a kind or format that does not exist is no route', async () => {
    for (const file of ['events.csv', 'payments.xlsx', 'payments'])
      expect((await get(file)).error?.code).toBe('route_not_found')
  })
})

describe('who may export', () => {
  test.each(exportNames)('developers and owners, but no viewer: %s', async kind => {
    const query = kind === 'balances' ? '' : String(new URLSearchParams(wide))
    expect((await get(`${kind}.csv`, query)).status).toBe(200)
    expect((await get(`${kind}.csv`, query, { bearer: developer.bearer })).status).toBe(200)
    const refused = await get(`${kind}.csv`, query, { bearer: viewer.bearer })
    expect([refused.status, refused.error?.code]).toEqual([403, 'insufficient_role'])
    expect((await post({ kind, format: 'csv', ...wide }, { bearer: viewer.bearer })).status).toBe(403)
    expect((await get(`${kind}.csv`, query, { bearer: shops.key })).status).toBe(401)
  })

  test('each export leaves one entry in the audit log, without the values of filters', async () => {
    const logged = async () => {
      const answer = await ask('GET', '/audit-log?action=export.created&limit=100', {
        ...{ path: lamps.path, bearer: lamps.owner.bearer },
      })
      return (answer.json as { data: { details: Record<string, unknown>; actor: string; address: string }[] }).data
    }
    const before = (await logged()).length
    await get('payments.csv', { q: 'secret.person@example.com', status: 'success' }, { bearer: developer.bearer })
    await get('balances.csv', '')
    const [balances, payments, ...more] = await logged()
    expect(more.length).toBe(before)
    expect(payments).toMatchObject({
      ...{ actor: developer.id, address: '127.0.0.1' },
      details: { kind: 'payments', format: 'csv', livemode: false, ...wide, filters: ['q', 'status'] },
    })
    expect(balances?.details).toEqual({ kind: 'balances', format: 'csv', livemode: false, filters: [] })
    expect(JSON.stringify([balances, payments])).not.toContain('secret.person')
    const refused = await get('payments.csv', { from: '2026-01-01', to: '2025-01-01' })
    expect([refused.status, (await logged()).length]).toEqual([400, before + 2])
  })
})

describe('what no export contains', () => {
  test('addresses with a secret, for owners too', async () => {
    const own = { path: lamps.path, bearer: lamps.owner.bearer }
    const secrets: string[] = []
    for (const [kind, field] of [
      ['payments', 'receiptUrl'],
      ['refunds', 'claimUrl'],
      ['refunds', 'unsignedTransaction'],
      ['invoices', 'url'],
      ['subscriptions', 'url'],
    ] as const) {
      const { data } = await shops.page<Record<string, unknown>>(`/${kind}?limit=100`, own)
      const shown = data.flatMap(record => (record[field] ? [record[field]] : []))
      if (field !== 'unsignedTransaction') expect([kind, field, shown.length > 0]).toEqual([kind, field, true])
      secrets.push(...shown.filter((value): value is string => typeof value === 'string'))
      expect((await records(kind)).every(record => record[field] === null)).toBe(true)
      const [head = ''] = (await get(`${kind}.csv`)).text.split('\r\n')
      expect(head.split(',').filter(name => name.split('.')[0] === field)).toEqual([])
    }
    const texts: string[] = []
    for (const kind of kinds) for (const format of ['csv', 'ndjson']) texts.push((await get(`${kind}.${format}`)).text)
    for (const secret of secrets) expect(texts.some(text => text.includes(secret))).toBe(false)
  })

  test('an erased customer', async () => {
    const name = 'Zqmark Person'
    const { id: customerId } = (await makeCustomer(api, mode, { name, email: 'zqmark@example.com' })).customer
    const lines = [{ description: 'A gift', unitAmountMinor: 0 }]
    await makeInvoice(api, mode, { customerId, lines, finalize: true })
    await makePayment(api, mode, 'success', { customerEmail: 'zqmark@example.com', customerName: name, customerId })
    const all = async () => {
      let text = ''
      for (const kind of kinds) for (const format of ['csv', 'ndjson']) text += (await get(`${kind}.${format}`)).text
      return text.toLowerCase().split('zqmark').length - 1
    }
    expect(await all()).toBeGreaterThan(6)
    await eraseCustomer(api, { ...mode, id: customerId }, lamps.owner.accountId)
    expect(await all()).toBe(0)
  })
})
