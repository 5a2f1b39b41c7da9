import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { makeInvoice } from '../../http/invoices.ts'
import { shop } from '../../http/people.ts'
import { blockStatement } from './block-statement.ts'
import { openInvoicePayments } from './invoice-payments.ts'
import { testChain } from './test-node.ts'
import { startWatching } from './watcher.ts'

/** Of 1,000 each, for an invoice over 5,000. */
const PAYMENTS = 8

const openedInvoice = async (server: ApiServer, token: string) => {
  const { api } = server
  const owner = { merchantId: (await shop(api)).merchantId, livemode: false }
  const line = { description: 'A lamp', unitAmountMinor: 5_000 }
  const { invoice } = await makeInvoice(api, owner, { currency: 'USD', lines: [line], finalize: true })
  const paymentLinkId = invoice.context.paymentLinkId ?? ''
  const opened = { ...owner, invoiceId: invoice.id, paymentLinkId, token, count: PAYMENTS }
  return { invoice: invoice.id, payments: await openInvoicePayments(server, opened) }
}

test.each([
  ['the invoice is about to be written', 'before update on invoices for each statement'],
  ['the invoice is written and its credit is not', 'before insert on credit_entries for each statement'],
  [
    'all of it is written and its payments are still marked as unsettled',
    'before delete on unsettled_payments for each statement',
  ],
])(
  'a watcher killed when %s allocates money to an invoice once',
  async (_, statement) => {
    await using server = await apiServer({ routes: [] })
    await using chain = await testChain()
    const { sql, databaseUrl } = server
    const opened = await openedInvoice(server, chain.token)
    const count = async (what: string) =>
      Number((await sql.unsafe<{ count: string }[]>(`select count(*) from ${what}`))[0]?.count)

    const head = Number(await chain.rpc<string>('eth_blockNumber'))
    await using watcher = await startWatching(databaseUrl, chain)
    await until(async () => (await count(`chain_cursors where number = ${head}`)) === 1)
    for (const { address } of opened.payments) await chain.pay(address, 1000n)
    await chain.mine()
    await until(async () => (await count(`payments where state = 'processing'`)) === PAYMENTS)
    await until(async () => (await count('unsettled_payments')) === 0)
    {
      await using block = await blockStatement(databaseUrl, statement)
      await chain.mine(2)
      await block.isBlocking()
      await watcher.kill()
      await block.endSessions()
    }

    // No new block arrives that would repeat the lost work.
    await using other = await startWatching(databaseUrl, chain)
    await until(async () => (await count(`payments where state = 'success'`)) === PAYMENTS)
    await until(async () => (await count('unsettled_payments')) === 0)
    await other.kill()
    const [invoice] = await sql`
    select state, amount_paid_minor::int as paid, amount_overpaid_minor::int as overpaid,
      amount_processing_minor::int as processing, jsonb_array_length(allocations) as allocations,
      (select sum(amount_minor)::int from credit_entries where invoice_id = i.id and type = 'overpayment') as credit
    from invoices i where id = ${opened.invoice}`
    expect(invoice).toEqual({
      ...{ state: 'paid', paid: 5_000, overpaid: 3_000, processing: 0, allocations: PAYMENTS, credit: 3_000 },
    })
    const received = `events where actor = '${opened.invoice}' and type`
    expect([
      await count(`${received} = 'invoice.payment_received'`),
      await count(`${received} = 'invoice.paid'`),
    ]).toEqual([...[PAYMENTS, 1]])
    expect(await audit(sql, kinds)).toEqual([])
  },
  60_000,
)
