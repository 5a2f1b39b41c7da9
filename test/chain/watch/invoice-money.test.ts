import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { connectChains } from '../../../src/chain/enabled/connect.ts'
import { sandboxChain } from '../../../src/chain/known/sandbox.ts'
import { settlePayments } from '../../../src/chain/watch/settle.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { apiServer } from '../../harness/api.ts'
import { makeInvoice } from '../../http/invoices.ts'
import { type OpenedPayment, openPayment } from '../../http/payments.ts'
import { shop } from '../../http/people.ts'
import { hashOf, issueAddress, openLedger, TOKEN } from './ledger.ts'

/** An invoice with this many open payments, and a ledger that mines what is sent to them. */
const openInvoice = async (unitAmountMinor: number, paymentsCount = 1) => {
  const chain = sandboxChain({ token: TOKEN, feed: TOKEN, euroFeed: TOKEN })
  const server = await apiServer({ routes: [], chains: outside => connectChains([chain], () => [], outside) })
  const { api, sql } = server
  const owner = { merchantId: (await shop(api)).merchantId, livemode: false }
  const lines = [{ description: 'A lamp', unitAmountMinor }]
  const { invoice } = await makeInvoice(api, owner, { currency: 'USD', lines, finalize: true })
  const paymentLinkId = invoice.context.paymentLinkId ?? ''
  const payments: OpenedPayment[] = []
  for (let n = 0; n < paymentsCount; n++) {
    const payment = await openPayment(api, owner, {
      opening: { paymentLinkId, invoiceId: invoice.id, amountMinor: unitAmountMinor },
      pick: { amountExpected: BigInt(unitAmountMinor) },
    })
    await api.actors.dispatch({ kind: 'payment_link', actor: paymentLinkId, event: { type: 'open_payment' } })
    await issueAddress(sql, payment)
    payments.push(payment)
  }
  const ledger = await openLedger(sql)
  const send = (payment: OpenedPayment | undefined, amount: bigint) => {
    const to = payment?.address.toLowerCase() ?? ''
    return ledger.block([{ to, amount, tx: hashOf(to, Number(amount)) }])
  }
  const settle = async () => {
    while ((await settlePayments(api)) > 0);
  }
  return { server, sql, invoice, paymentLinkId, payments, ledger, send, settle }
}

test('money that becomes final in parts is no longer processing, part by part, and its hidden link counts it once', async () => {
  const { server, sql, invoice, paymentLinkId, payments, ledger, send, settle } = await openInvoice(1000)
  await using _ = server
  await send(payments[0], 600n)
  await ledger.finalize()
  await send(payments[0], 400n)
  await settle()
  await ledger.finalize()
  await settle()
  const changes = await sql<{ change: string }[]>`
    select concat(event, ' ', json_of(context)->>'amountPaidMinor', ' ', json_of(context)->>'amountProcessingMinor') as change from transitions
    where actor = ${invoice.id} and event not in ('create', 'finalize') order by rev`
  expect(changes.map(({ change }) => change)).toEqual([
    ...['payment_processing 0 1000', 'money_counted 600 400', 'money_counted 1000 0'],
  ])
  const [link] = await sql`select payments_count, payments_processing from payment_links where id = ${paymentLinkId}`
  expect(link).toEqual({ payments_count: 1, payments_processing: 0 })
  expect(await audit(sql, kinds)).toEqual([])
})

test('payments of an invoice over 2^53 − 1 that are processing together are counted exactly', async () => {
  const most = BigInt(Number.MAX_SAFE_INTEGER)
  const { server, sql, invoice, payments, ledger, send, settle } = await openInvoice(Number(most), 3)
  await using _ = server
  for (const payment of payments) await send(payment, most)
  await settle()
  const amounts = async () => {
    const [row] = await sql<Record<string, string>[]>`
      select state, amount_processing_minor as processing, amount_paid_minor as paid, amount_overpaid_minor as overpaid
      from invoices where id = ${invoice.id}`
    return Object.values(row ?? {}).map(String)
  }
  expect(await amounts()).toEqual(['open', String(3n * most), '0', '0'])
  expect(await audit(sql, kinds)).toEqual([])

  await ledger.finalize()
  await settle()
  expect(await amounts()).toEqual(['paid', '0', String(most), String(most)])
  const credit = await sql<{ given: string }[]>`
    select amount_minor::text as given from credit_entries where invoice_id = ${invoice.id}`
  expect([...credit]).toEqual([{ given: String(most) }])
  expect(await audit(sql, kinds)).toEqual([])
})
