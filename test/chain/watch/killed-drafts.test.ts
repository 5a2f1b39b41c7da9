import { expect, test } from 'bun:test'
import { audit } from '../../../src/audit/audit.ts'
import { subscribeToPlan } from '../../../src/commands/plan-subscriptions.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { findVisitedPlan } from '../../../src/queries/plan-pages.ts'
import { type ApiServer, apiServer } from '../../harness/api.ts'
import { until } from '../../harness/until.ts'
import { shop } from '../../http/people.ts'
import { makePlan } from '../../http/plans.ts'
import { blockStatement } from './block-statement.ts'
import { openInvoicePayments } from './invoice-payments.ts'
import { testChain } from './test-node.ts'
import { startWatching } from './watcher.ts'

const VISITORS = 3
/** The first one pays in two tabs. */
const PAYMENTS = VISITORS + 1

/** Subscriptions of visitors of the page of a plan over 10.00, whose first invoices are drafts with open payments. */
const openedDrafts = async (server: ApiServer, token: string) => {
  const { api, sql } = server
  const owner = { merchantId: (await shop(api)).merchantId, livemode: false }
  const line = { description: 'A lamp', unitAmountMinor: 1_000 }
  const plan = await makePlan(api, owner, { currency: 'USD', lines: [line] })
  const visited = await findVisitedPlan(sql, plan.id)
  if (!visited) throw new Error('the plan is missing')
  const opened: (readonly { readonly address: string }[])[] = []
  for (let visitor = 0; visitor < VISITORS; visitor++) {
    const payer = { email: `ada${visitor}@example.com`, name: null, locale: null }
    const { invoice } = await subscribeToPlan(api, visited, { payer, group: '192.0.2.1' }, 'test')
    const paymentLinkId = invoice?.context.paymentLinkId ?? ''
    const count = visitor === 0 ? 2 : 1
    opened.push(
      await openInvoicePayments(server, { ...owner, invoiceId: invoice?.id ?? '', paymentLinkId, token, count }),
    )
  }
  return opened.flat()
}

/** A payment that is `processing` has a number, and so has nothing else. */
const notPaired =
  'invoices i where (i.sequence is not null) <> exists (' +
  `select from payments p where p.invoice_id = i.id and p.state in ('processing', 'success'))`

test.each([
  ['the payment is about to be written', `before update on payments for each row when (new.state = 'processing')`],
  ['the draft is about to be written', `before update on invoices for each row when (old.state = 'draft')`],
  ['the number is about to be taken', 'before update on document_series for each row'],
  ['the link is about to be written', 'before update on payment_links for each row'],
  ['the history is about to be written', `before insert on transitions for each row when (new.event = 'finalize')`],
  ['the events are about to be written', `before insert on events for each row when (new.type = 'invoice.finalized')`],
  [
    'all of it is written and its payments are still marked as unsettled',
    'before delete on unsettled_payments for each statement',
  ],
])(
  'a watcher killed when money for drafts is seen and %s finalizes each once with its payment, or not at all',
  async (_, statement) => {
    await using server = await apiServer({ routes: [] })
    await using chain = await testChain()
    const { sql, databaseUrl } = server
    const opened = await openedDrafts(server, chain.token)
    const count = async (what: string) =>
      Number((await sql.unsafe<{ count: string }[]>(`select count(*) from ${what}`))[0]?.count)
    const head = Number(await chain.rpc<string>('eth_blockNumber'))
    await using watcher = await startWatching(databaseUrl, chain)
    await until(async () => (await count(`chain_cursors where number = ${head}`)) === 1)
    {
      await using block = await blockStatement(databaseUrl, statement)
      for (const { address } of opened) await chain.pay(address, 1000n)
      await chain.mine()
      await block.isBlocking()
      await watcher.kill()
      await block.endSessions()
    }
    expect(await count(notPaired)).toBe(0)
    const [before] = await sql`
      select coalesce(max(last_number), 0)::integer as last, (select count(*)::integer from invoices where sequence is not null) as numbered
      from document_series where document_kind = 'invoice'`
    expect(before?.last).toBe(before?.numbered)

    await using other = await startWatching(databaseUrl, chain)
    await until(async () => (await count(`payments where state = 'processing'`)) === PAYMENTS)
    expect(await count(notPaired)).toBe(0)
    await chain.mine(2)
    await until(async () => (await count(`payments where state = 'success'`)) === PAYMENTS)
    await until(async () => (await count('unsettled_payments')) === 0)
    await other.kill()
    const invoices = await sql`
      select i.state, i.sequence, i.amount_paid_minor::integer as paid, i.amount_overpaid_minor::integer as overpaid,
        (select count(*)::integer from transitions t where t.actor = i.id and t.event = 'finalize') as finalized
      from invoices i order by i.amount_overpaid_minor desc, i.sequence`
    expect(invoices.map(({ sequence }) => sequence).toSorted()).toEqual([1, 2, 3])
    expect(invoices.map(({ sequence: _, ...each }) => each)).toEqual(
      [1_000, 0, 0].map(overpaid => ({ ...{ state: 'paid', paid: 1_000, overpaid, finalized: 1 } })),
    )
    const [series] = await sql`select last_number::integer as last from document_series where document_kind = 'invoice'`
    expect(series).toEqual({ last: VISITORS })
    expect(await audit(sql, kinds)).toEqual([])
  },
  60_000,
)
