import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { creditEntryRow } from '../../src/queries/credit-entries.ts'
import { blockStatement } from '../chain/watch/block-statement.ts'
import { type ApiServer, apiServer, SECRET_KEY } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { makeCustomer } from '../http/customers.ts'
import { makeInvoice } from '../http/invoices.ts'
import { shop } from '../http/people.ts'
import { endSessions, startProgram } from './killed-program.ts'

/** `killAfter`: killed as soon as so many callers have their answer. */
const start = (databaseUrl: string, merchantId: string, callers: number, killAfter?: number) =>
  startProgram('./finalizing-program.ts', [databaseUrl, merchantId, String(callers), 'ids'], killAfter)

const drafts = async ({ api, sql }: ApiServer, count: number, amountMinor = 10_000) => {
  const { merchantId } = await shop(api)
  const mode = { merchantId, livemode: false }
  const { customer } = await makeCustomer(api, mode)
  const credit = { customerId: customer.id, merchantId, livemode: false, currency: 'EUR', type: 'adjustment' } as const
  await api.actors.dispatch({
    ...{ kind: 'customer', actor: customer.id, event: { type: 'adjust_credit' } },
    rows: [creditEntryRow({ ...credit, id: crypto.randomUUID(), amountMinor })],
  })
  await Promise.all(Array.from({ length: count }, () => makeInvoice(api, mode, { customerId: customer.id })))
  expect(await sql`select from invoices where merchant_id = ${merchantId} and state = 'draft'`).toHaveLength(count)
  return merchantId
}

/** Each number once, what every invoice needs with it, and the credit spent once. */
const expectWhole = async ({ sql }: ApiServer, merchantId: string, count: number) => {
  const [found] = await sql`
    select count(*)::int as invoices, count(distinct sequence)::int as numbers, max(sequence) as last,
      sum(credit_applied_minor)::int as credit, count(payment_link_id)::int as links
    from invoices where merchant_id = ${merchantId} and sequence is not null`
  const [made] = await sql`
    select (select count(*)::int from payment_links where merchant_id = ${merchantId}) as links,
      (select last_number from document_series where merchant_id = ${merchantId}) as last`
  expect(found).toMatchObject({ invoices: count, numbers: count, last: count })
  expect(made).toEqual({ links: found?.links, last: count })
  expect(await audit(sql, kinds, { keyring: openKeyring(SECRET_KEY) })).toEqual([])
  return found
}

test('a process killed 5 times while finalizing leaves no gap, and gives no number twice', async () => {
  await using server = await apiServer({ routes: [] })
  const merchantId = await drafts(server, 320)
  const answered: string[] = []
  for (let kills = 0; kills < 5; kills++) {
    const process = start(server.databaseUrl, merchantId, 8, 5 + kills)
    await process.exited
    answered.push(...process.answered)
  }
  // What a caller was answered is committed.
  const [kept] = await server.sql`
    select count(*)::int as count from invoices where id = any(${answered}::text[]::uuid[]) and sequence is not null`
  expect(kept?.count).toBe(answered.length)
  const [state] = await server.sql`select count(*)::int as count from invoices where state = 'draft'`
  expect(state?.count).toBeGreaterThan(0)
  const last = start(server.databaseUrl, merchantId, 16)
  await last.exited
  expect(await expectWhole(server, merchantId, 320)).toMatchObject({ credit: 10_000 })
}, 60_000)

test.each([
  'before insert on payment_links for each row',
  'before update on document_series for each row',
  'before insert on credit_entries for each row',
  'before insert on events for each row',
])(
  'a process killed while finalizing, blocked at %s, finalizes nothing, and the next one everything',
  async where => {
    await using server = await apiServer({ routes: [] })
    // After the first invoice the credit pays a part of the next one, which has a link and an entry of the ledger.
    const merchantId = await drafts(server, 6, 4_900)
    // The series exists, so that its row is updated.
    const first = start(server.databaseUrl, merchantId, 1)
    await until(async () => first.answered.length >= 1)
    await first.kill()
    // The next commit may be under way.
    await endSessions(server, 'finalizing')
    const [before] = await server.sql`select count(*)::int as count from invoices where sequence is not null`
    await server.sql`
    insert into credit_entries (customer_id, currency, id, merchant_id, livemode, type, amount_minor, created_at)
    select id, 'EUR', new_uuidv7(), merchant_id, livemode, 'adjustment', 500, now() from customers limit 1`
    {
      await using block = await blockStatement(server.databaseUrl, where)
      const process = start(server.databaseUrl, merchantId, 3)
      await block.isBlocking()
      await process.kill()
      await endSessions(server, 'finalizing')
      expect(await server.sql`select from invoices where sequence is not null`).toHaveLength(before?.count)
    }
    await start(server.databaseUrl, merchantId, 3).exited
    await expectWhole(server, merchantId, 6)
  },
  30_000,
)
