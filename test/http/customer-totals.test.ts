import { expect, test } from 'bun:test'
import { runFeedReaders } from '../../src/actors/feed-readers.ts'
import { audit } from '../../src/audit/audit.ts'
import { customerCreditRoutes } from '../../src/http/customer-credit.ts'
import { customerRoutes } from '../../src/http/customers.ts'
import { kinds } from '../../src/kinds/all.ts'
import { paymentSumsReader } from '../../src/queries/payment-sums.ts'
import { rewrite } from '../harness/rewrite.ts'
import { until } from '../harness/until.ts'
import { makeCustomer } from './customers.ts'
import { makePayment } from './payments.ts'
import { twoShops } from './two-shops.ts'

const { server, lamps, ask } = await twoShops({ routes: [...customerRoutes, ...customerCreditRoutes] })
const { api, sql } = server
const mode = { merchantId: lamps.merchantId, livemode: false }

type Totals = Readonly<Record<string, unknown>>
const totalsOf = async (id: string) =>
  ((await ask('GET', `/customers/${id}`)).json as { readonly totals: readonly Totals[] }).totals
const readAll = (most: number) => until(async () => (await paymentSumsReader.add(sql, most)) === 0)
const pay = (customerId: string, situation: string, more = {}) =>
  makePayment(api, mode, situation, { customerId, ...more })
const succeededAt = async (payment: string) => {
  const [row] = await sql<{ at: Date }[]>`select at from transitions where actor = ${payment} and to_state = 'success'`
  return row?.at.toISOString()
}

const unpaid = { openMinor: 0, overdueMinor: 0, creditMinor: 0 }

test('totals are the sums of the successful payments, and do not change when nothing happens', async () => {
  const { id, customer } = await makeCustomer(api, mode)
  const first = await pay(customer.id, 'success')
  await pay(customer.id, 'new')
  await pay(customer.id, 'expired')
  const last = await pay(customer.id, 'success')
  expect(await totalsOf(id)).toEqual([])
  // The smallest pages, so that every transition is added by itself.
  await readAll(1)
  const expected = [
    {
      ...{ currency: 'USD', paymentsCount: 2, volumeMinor: 2_000, refundedMinor: 0, ...unpaid },
      ...{ firstPaymentAt: await succeededAt(first.actor), lastPaymentAt: await succeededAt(last.actor) },
    },
  ]
  expect(await totalsOf(id)).toEqual(expected)
  await readAll(100)
  expect(await totalsOf(id)).toEqual(expected)
})

test('a merged customer adds its totals to those of the other one, without a change of any payment', async () => {
  const [a, b] = [await makeCustomer(api, mode), await makeCustomer(api, mode)]
  await pay(a.customer.id, 'success')
  await pay(b.customer.id, 'success')
  await readAll(100)
  const revs = () =>
    sql`select id, rev from payments where customer_id in (${a.customer.id}, ${b.customer.id}) order by id`
  const before = await revs()
  const json = { intoId: b.id }
  await ask('POST', `/customers/${a.id}/merge`, { json, path: lamps.path, bearer: lamps.owner.bearer })
  expect(await totalsOf(b.id)).toMatchObject([{ currency: 'USD', paymentsCount: 2, volumeMinor: 2_000 }])
  expect(await totalsOf(a.id)).toEqual([])
  expect(await revs()).toEqual(before)
  // A payment that was opened for the merged customer and succeeds later.
  await pay(a.customer.id, 'success')
  await readAll(100)
  expect(await totalsOf(b.id)).toMatchObject([{ paymentsCount: 3, volumeMinor: 3_000 }])
})

test('sums above 2^53 − 1 are given as 2^53 − 1, and do not stop the reader above what a bigint holds', async () => {
  const most = Number.MAX_SAFE_INTEGER
  const { id, customer } = await makeCustomer(api, mode)
  const { link } = await pay(customer.id, 'success', { amountMinor: most })
  await rewrite(sql, 'payment_links', [link], { amount_minor: most })
  await readAll(100)
  expect(await totalsOf(id)).toMatchObject([{ paymentsCount: 1, volumeMinor: most, refundedMinor: 0 }])
  await pay(customer.id, 'success')
  await readAll(100)
  expect(await totalsOf(id)).toMatchObject([{ paymentsCount: 2, volumeMinor: most }])
  const stored = () => sql`select volume_minor, refunded_minor from customer_totals where customer_id = ${customer.id}`
  expect(await stored()).toMatchObject([{ volume_minor: String(BigInt(most) + 1_000n), refunded_minor: '0' }])

  // As after a thousand such payments.
  const more = 2n ** 63n
  await sql`
    update customer_totals set volume_minor = volume_minor + ${String(more)}::numeric, refunded_minor = ${String(more)}::numeric
    where customer_id = ${customer.id}`
  await pay(customer.id, 'success')
  await readAll(100)
  expect(await totalsOf(id)).toMatchObject([{ paymentsCount: 3, volumeMinor: most, refundedMinor: most }])
  expect((await audit(sql, kinds)).map(({ what }) => what)).toEqual([
    'a customer whose totals differ from its payments and refunds',
  ])
  await sql`
    update customer_totals set volume_minor = volume_minor - ${String(more)}::numeric, refunded_minor = 0
    where customer_id = ${customer.id}`
  expect(await stored()).toMatchObject([{ volume_minor: String(BigInt(most) + 2_000n) }])
  expect(await audit(sql, kinds)).toEqual([])
})

test('readers in several processes add each transition once while payments succeed', async () => {
  const { id, customer } = await makeCustomer(api, mode)
  const readers = Array.from({ length: 3 }, () =>
    runFeedReaders(api, [paymentSumsReader], { isChosen: () => true, everyMs: 2 }),
  )
  for (let round = 0; round < 5; round++)
    await Promise.all(Array.from({ length: 8 }, () => pay(customer.id, 'success')))
  await until(async () => (await totalsOf(id))[0]?.paymentsCount === 40)
  await Promise.all(readers.map(reader => reader.stop()))
  expect(await totalsOf(id)).toMatchObject([{ paymentsCount: 40, volumeMinor: 40_000 }])
  expect(await audit(sql, kinds)).toEqual([])
})
