import { expect, test } from 'bun:test'
import { startRefund } from '../../../src/commands/refunds.ts'
import { dispatchPaymentEvent } from '../../../src/queries/payment-bundles.ts'
import { findPayment } from '../../../src/queries/payments.ts'
import { makeInvoice } from '../../http/invoices.ts'
import { final, openPayment, seen } from '../../http/payments.ts'
import { shop } from '../../http/people.ts'
import { customer, decide, openRefundFixtureOfFile } from './refund-fixture.ts'

const { server, fixture } = await openRefundFixtureOfFile()
const { api, sql } = server
const MOST = Number.MAX_SAFE_INTEGER

test('a refund whose transaction fails fails although the credit that it took back does not fit into the balance', async () => {
  const whose = { merchantId: (await shop(api)).merchantId, livemode: false }
  const lines = [{ description: 'A lamp', unitAmountMinor: 1000 }]
  const { invoice } = await makeInvoice(api, whose, { currency: 'USD', lines, finalize: true })
  const paymentLinkId = invoice.context.paymentLinkId ?? ''
  await api.actors.dispatch({ kind: 'payment_link', actor: paymentLinkId, event: { type: 'open_payment' } })
  const payment = async () => {
    const found = await findPayment(sql, { id: actor, ...whose })
    if (!found) throw new Error('the payment does not exist')
    return found
  }
  const { actor } = await openPayment(api, whose, {
    opening: { paymentLinkId, invoiceId: invoice.id },
    pick: { tokenAddress: fixture.chain.token },
  })
  for (const event of [
    { ...seen('enough_seen', 1500n), type: 'enough_seen' as const },
    { ...final('finalized', 1500n), type: 'finalized' as const },
  ])
    expect(await dispatchPaymentEvent(api, await payment(), event, { cause: 'test' })).toMatchObject({ ok: true })
  const entries = async () => {
    const found = await sql<{ entry: string }[]>`
      select concat(type, ' ', amount_minor) as entry from credit_entries
      where customer_id = ${invoice.context.customerId} order by seq`
    return found.map(({ entry }) => entry)
  }

  const request = { amountMinor: 600, reason: null, destination: customer, metadata: {} }
  const refund = await startRefund(api, await payment(), request, { cause: 'test', responseRows: () => [] })
  await sql`
    insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, created_at)
    select customer_id, currency, new_uuidv7(), merchant_id, livemode, 'adjustment', ${MOST}, now()
    from invoices where id = ${invoice.id}`
  await fixture.apply(refund, { type: 'transaction_sent', txHash: await fixture.send({ data: '0x5f5ffd' }) })
  await fixture.finalizeAll()
  await decide(server, fixture.chainOf())
  expect(await fixture.summaryOf(refund)).toMatchObject({ state: 'failed', failureReason: 'reverted', reserved: 0 })
  expect(await entries()).toEqual(['overpayment 500', 'refunded -500', `adjustment ${MOST}`])
})
