import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { kinds } from '../../src/kinds/all.ts'
import { connect } from '../../src/postgres/connect.ts'
import { until } from '../harness/until.ts'
import { type IssuedInvoice, invoicesOn, type PayingCustomer } from './issued-invoices.ts'
import { type SimulationServer, simulationServer } from './simulations.ts'
import { newKey } from './two-shops.ts'

/** Sums at the largest number that JSON represents exactly, on a chain where any amount can be minted. */
const MOST = Number.MAX_SAFE_INTEGER

let instance: SimulationServer
let to: ReturnType<typeof invoicesOn>
beforeAll(async () => {
  instance = await simulationServer()
  to = invoicesOn(instance)
}, 60_000)
afterAll(async () => {
  const { sql } = instance.server
  await until(async () => (await sql`select from unsettled_payments where reported_rev is null`).length === 0)
  expect(await audit(sql, kinds)).toEqual([])
  await instance[Symbol.asyncDispose]()
})

type Refused = { readonly code: string; readonly param?: string; readonly message: string }
type Shown = Readonly<Record<string, unknown>> & { readonly error?: Refused }
type Answer = Shown & { readonly httpStatus: number }

const get = async (path: string) => (await to.ask('GET', `/v1${path}`)).json as Shown
const post = async (path: string, json: object = {}) => {
  const { status, json: body } = await instance.server.call('POST', `/v1${path}`, {
    ...{ bearer: instance.key, headers: newKey(), json },
  })
  return { ...(body as Shown), httpStatus: status } as Answer
}
/** Status, code and parameter of a refusal. */
const refusal = ({ httpStatus, error }: Answer) => [httpStatus, error?.code, error?.param]

const newCustomer = async () => (await post('/customers', { email: `${crypto.randomUUID()}@example.com` })).id as string
const issueFor = (customerId: string, totalMinor: number) => to.issue(totalMinor, { customer: undefined, customerId })
const adjust = async (customerId: string, amountMinor: number) => {
  const { server, shop } = instance
  const json = { currency: 'USD', amountMinor, note: 'Goodwill' }
  const answer = await server.call('POST', `${shop.path}/customers/${customerId}/credit`, {
    ...{ bearer: shop.owner.bearer, json },
  })
  return { ...(answer.json as Shown), httpStatus: answer.status } as Answer
}
const totalsOf = async (customerId: string) => ((await get(`/customers/${customerId}`)).totals as Shown[])[0] ?? {}
const pay = async ({ id, address }: PayingCustomer, cents: number) => {
  await to.send(address, cents)
  await instance.becomes(id, { state: 'success' })
}
const amountsOf = async ({ id }: IssuedInvoice) => {
  const { status, amountPaidMinor, amountOverpaidMinor, amountProcessingMinor } = await get(`/invoices/${id}`)
  return [status, amountPaidMinor, amountOverpaidMinor, amountProcessingMinor]
}

describe('an invoice', () => {
  test.concurrent('is overpaid by up to 2^53 − 1, and all of it can be refunded', async () => {
    const customerId = await newCustomer()
    const invoice = await issueFor(customerId, 1000)
    const tabs = [await to.open(invoice), await to.open(invoice), await to.open(invoice)] as const
    await pay(tabs[0], MOST)
    expect(await amountsOf(invoice)).toEqual(['paid', 1000, MOST - 1000, 0])
    await pay(tabs[1], 1000)
    expect(await amountsOf(invoice)).toEqual(['paid', 1000, MOST, 0])
    expect(await totalsOf(customerId)).toMatchObject({ creditMinor: MOST })
    // More than this cannot be overpaid, but it can be refunded. No number is larger, so neither is what was received.
    await pay(tabs[2], 2 * MOST)
    expect(await amountsOf(invoice)).toEqual(['paid', 1000, MOST, 0])
    expect(await to.creditOf(invoice)).toEqual([
      ...[`overpayment ${MOST - 1000} -> ${MOST - 1000}`, `overpayment 1000 -> ${MOST}`],
    ])
    for (const [n, received] of [MOST, 1000, MOST].entries()) {
      const refund = await post(`/payments/${tabs[n]?.id}/refunds`)
      expect([refund.httpStatus, refund.amountMinor]).toEqual([201, received])
    }
    expect((await to.creditOf(invoice)).slice(2)).toEqual([
      ...[`refunded -${MOST - 1000} -> 1000`, 'refunded -1000 -> 0'],
    ])
  }, 90_000)

  test.concurrent('over 2^53 − 1 is paid, and credited in full as credit of the customer and by a refund', async () => {
    const invoice = await to.issue(MOST)
    // No asset is offered beyond 10^12 units.
    const payment = await to.open(invoice, 'ETH')
    await to.sendEther(payment.address, payment.amountExpected)
    await instance.becomes(payment.id, { state: 'success' })
    expect(await amountsOf(invoice)).toEqual(['paid', MOST, 0, 0])
    const refunds = [{ paymentId: payment.id, amountMinor: 1 }]
    const note = await post('/credit-notes', {
      ...{ invoiceId: invoice.id, reason: 'other', whole: true, creditMinor: MOST - 1, refunds },
    })
    expect(note).toMatchObject({
      ...{ httpStatus: 201, totalMinor: MOST, dueReducedMinor: 0, creditMinor: MOST - 1, refundsMinor: 1 },
    })
    expect(await to.creditOf(invoice)).toEqual([`credit_note ${MOST - 1} -> ${MOST - 1}`])
  }, 60_000)
})

describe('a credit balance of 2^53 − 1', () => {
  test.concurrent('pays an invoice of that amount', async () => {
    const customerId = await newCustomer()
    expect(await adjust(customerId, MOST)).toMatchObject({ httpStatus: 201, balanceMinor: MOST })
    const invoice = await issueFor(customerId, MOST)
    expect(await get(`/invoices/${invoice.id}`)).toMatchObject({ status: 'paid', creditAppliedMinor: MOST })
    expect(await totalsOf(customerId)).toMatchObject({ creditMinor: 0 })
  })

  test.concurrent('400: cannot be raised by an adjustment or a credit note, which is then not issued', async () => {
    const customerId = await newCustomer()
    const invoice = await issueFor(customerId, 1000)
    await pay(await to.open(invoice), 1000)
    expect((await adjust(customerId, MOST - 5)).httpStatus).toBe(201)
    const adjusted = await adjust(customerId, 6)
    expect([refusal(adjusted), adjusted.error?.message]).toEqual([
      [400, 'parameter_invalid', 'amountMinor'],
      expect.stringContaining(String(MOST)),
    ])
    const note = (creditMinor: number) =>
      post('/credit-notes', {
        ...{ invoiceId: invoice.id, reason: 'other', creditMinor },
        lines: [{ lineId: 'line_1', amountMinor: creditMinor }],
      })
    const refused = await note(6)
    expect([refusal(refused), refused.error?.message]).toEqual([
      [400, 'parameter_invalid', 'creditMinor'],
      expect.stringContaining(String(MOST)),
    ])
    expect(await note(5)).toMatchObject({ httpStatus: 201, creditMinor: 5 })
    expect(await totalsOf(customerId)).toMatchObject({ creditMinor: MOST })
  }, 60_000)

  test.concurrent('does not keep an overpaid payment from success: the rest is no credit, and can be refunded', async () => {
    const customerId = await newCustomer()
    const invoice = await issueFor(customerId, 1000)
    const [payment, late] = [await to.open(invoice), await to.open(invoice)]
    expect((await adjust(customerId, MOST)).httpStatus).toBe(201)
    await pay(payment, 1250)
    expect(await amountsOf(invoice)).toEqual(['paid', 1000, 250, 0])
    expect(await to.creditOf(invoice)).toEqual([])
    await instance.becomes(payment.id, { exception: 'overpaid', attention: true })
    expect(await post(`/payments/${payment.id}/refunds`)).toMatchObject({ httpStatus: 201, amountMinor: 1250 })

    // The same when a member accepts a payment.
    await instance.becomes(late.id, { state: 'canceled' })
    await to.send(late.address, 300)
    await instance.becomes(late.id, { exception: 'late', attention: true, amountFinal: 3_000_000n })
    const { server, shop } = instance
    const path = `${shop.path}/payments/${late.id}/resolve`
    const accepted = await server.call('POST', path, { bearer: shop.owner.bearer, json: { action: 'accept' } })
    expect([accepted.status, (accepted.json as Shown).status]).toEqual([200, 'success'])
    expect(await amountsOf(invoice)).toEqual(['paid', 1000, 1250, 0])
    expect(await totalsOf(customerId)).toMatchObject({ creditMinor: MOST })
  }, 60_000)

  test.concurrent('does not keep a refund from being canceled: the credit that it took back is not returned, and the money can be refunded', async () => {
    const customerId = await newCustomer()
    const invoice = await issueFor(customerId, 1000)
    const payment = await to.open(invoice)
    await pay(payment, 1500)
    const refunds = `/payments/${payment.id}/refunds`
    const refund = await post(refunds, { amountMinor: 600 })
    expect([refund.httpStatus, (await to.creditOf(invoice)).at(-1)]).toEqual([201, 'refunded -500 -> 0'])
    expect((await adjust(customerId, MOST)).httpStatus).toBe(201)
    const { server, shop } = instance
    const canceled = await server.call('POST', `${shop.path}/refunds/${refund.id}/cancel`, {
      bearer: shop.owner.bearer,
    })
    expect([canceled.status, (canceled.json as Shown).status]).toEqual([200, 'canceled'])
    expect(await totalsOf(customerId)).toMatchObject({ creditMinor: MOST })
    expect(await post(refunds)).toMatchObject({ httpStatus: 201, amountMinor: 1500 })
    expect(await totalsOf(customerId)).toMatchObject({ creditMinor: MOST })
  }, 60_000)

  test.concurrent('409: a customer cannot be merged into one, nor an invoice be voided whose credit would be released', async () => {
    const [customerId, other] = [await newCustomer(), await newCustomer()]
    await adjust(customerId, 100)
    const invoice = await issueFor(customerId, 1000)
    await adjust(customerId, MOST - 99)
    const voided = await post(`/invoices/${invoice.id}/void`)
    expect([refusal(voided), voided.error?.message]).toEqual([
      [409, 'state_conflict', undefined],
      expect.stringContaining(String(MOST)),
    ])
    expect(await amountsOf(invoice)).toEqual(['open', 0, 0, 0])
    await adjust(customerId, -1)
    expect(await post(`/invoices/${invoice.id}/void`)).toMatchObject({ httpStatus: 200, status: 'void' })
    expect(await totalsOf(customerId)).toMatchObject({ creditMinor: MOST })

    await adjust(other, 1)
    const { server, shop } = instance
    const merge = () =>
      server.call('POST', `${shop.path}/customers/${other}/merge`, {
        ...{ bearer: shop.owner.bearer, json: { intoId: customerId } },
      })
    const merged = await merge()
    expect([merged.status, merged.json]).toMatchObject([
      409,
      { error: { code: 'state_conflict', param: 'intoId', message: expect.stringContaining(String(MOST)) } },
    ])
    await adjust(other, -1)
    expect((await merge()).status).toBe(200)
  }, 60_000)
})

test('open invoices of a customer over more than 2^53 − 1 are given as 2^53 − 1, however many there are', async () => {
  const customerId = await newCustomer()
  await issueFor(customerId, MOST - 1)
  expect(await totalsOf(customerId)).toMatchObject({ openMinor: MOST - 1, overdueMinor: 0 })
  const second = await issueFor(customerId, 1000)
  expect(await totalsOf(customerId)).toMatchObject({ openMinor: MOST, overdueMinor: 0 })
  // 1,024 of them are more than a bigint holds.
  const alone = connect(instance.server.databaseUrl, { max: 1 })
  try {
    await alone`begin`
    await alone`
      insert into invoices overriding system value
      select (copy.r).* from (
        select jsonb_populate_record(null::invoices, to_jsonb(i) || jsonb_build_object(
          'id', new_uuidv7(), 'sequence', 1000 + n, 'seq', 1000000 + n, 'overdue', true, 'subtotal_minor', ${MOST}::bigint,
          'total_minor', ${MOST}::bigint, 'token_hash', lpad(n::text, 64, '0'))) as r
        from invoices i cross join generate_series(1, 1100) n where i.id = ${second.actor}) copy`
    const [row] = await alone<{ totals: object }[]>`
      select to_json(t) as totals from invoices i cross join lateral totals_of_customer(i.customer_id) t
      where i.id = ${second.actor}`
    expect(row?.totals).toMatchObject({ open_minor: MOST, overdue_minor: MOST })
  } finally {
    await alone`rollback`
    await alone.end()
  }
}, 60_000)
