import { expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { advanceTestClock } from '../../src/commands/test-clocks.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { creditEntryRow } from '../../src/queries/credit-entries.ts'
import { blockStatement } from '../chain/watch/block-statement.ts'
import { type ApiServer, apiServer, SECRET_KEY } from '../harness/api.ts'
import { makeCustomer } from '../http/customers.ts'
import { shop } from '../http/people.ts'
import { makeSubscription } from '../http/subscriptions.ts'
import { makeTestClock } from '../http/test-clocks.ts'
import { endSessions, startProgram } from './killed-program.ts'
import { expectPeriods } from './renewed-periods.ts'

const START = new Date('2026-11-30T12:00:00.000Z')
/** Two days after the beginning of period 3. */
const TO = new Date('2027-03-02T12:00:00.000Z')
const PERIODS = 4
const AMOUNT = 4_900

/** Monthly subscriptions of one customer, paid from its credit, whose clock advances by three periods. */
const renewing = async ({ api }: ApiServer, count: number) => {
  const owner = { merchantId: (await shop(api)).merchantId, livemode: false }
  const { id } = await makeTestClock(api, owner, START)
  const { customer } = await makeCustomer(api, owner, { testClockId: id })
  const credit = { ...owner, customerId: customer.id, currency: 'EUR', type: 'adjustment' } as const
  await api.actors.dispatch({
    ...{ kind: 'customer', actor: customer.id, event: { type: 'adjust_credit' } },
    rows: [creditEntryRow({ ...credit, id: crypto.randomUUID(), amountMinor: count * PERIODS * AMOUNT })],
  })
  for (let made = 0; made < count; made++)
    await makeSubscription(api, owner, { customerId: customer.id, trialDays: 0, leadDays: 1 + (made % 7) })
  await advanceTestClock(api, { ...owner, id }, TO, { cause: 'test', responseRows: () => [] })
}

const count = async ({ sql }: ApiServer, what: string) =>
  (await sql.unsafe<{ count: number }[]>(`select count(*)::integer as count from ${what}`))[0]?.count

/** Each period was invoiced, paid and begun once, in order, and the clock has arrived. */
const expectRenewed = async (server: ApiServer, subscriptions: number) => {
  const { sql } = server
  await expectPeriods(sql, subscriptions)
  expect(Array.from(await sql`select balance_minor::integer as balance from credit_balances`)).toEqual([{ balance: 0 }])
  expect(Array.from(await sql`select state, now from test_clocks`)).toEqual([{ state: 'ready', now: TO }])
  expect(await audit(sql, kinds, { keyring: openKeyring(SECRET_KEY) })).toEqual([])
}

const start = (databaseUrl: string, killAfter?: number) =>
  startProgram('./advancing-program.ts', [databaseUrl], killAfter)

test('a process killed 6 times while renewing invoices and renews each period once', async () => {
  await using server = await apiServer({ routes: [] })
  await renewing(server, 24)
  for (let kills = 0; kills < 6; kills++) {
    await start(server.databaseUrl, 1 + kills).exited
    await endSessions(server, 'advancing')
  }
  expect(await count(server, `test_clocks where state = 'advancing'`)).toBe(1)
  expect(await count(server, 'invoices where period_index > 0')).toBeGreaterThan(0)
  await start(server.databaseUrl).exited
  await expectRenewed(server, 24)
}, 60_000)

const nothing = { invoiced: 0, renewed: 0 }
const invoiced = { invoiced: 3, renewed: 0 }

test.each([
  ['before insert on invoices for each row', nothing],
  ['before update on document_series for each row', nothing],
  ['before insert on credit_entries for each row', nothing],
  ['before update on subscriptions for each row when (new.invoiced_index = 1)', nothing],
  ['before insert on events for each row', nothing],
  ['before update on subscriptions for each row when (new.period_index = 1)', invoiced],
  [`before insert on events for each row when (new.type = 'subscription.renewed')`, invoiced],
  [`before insert on transitions for each row when (new.event like 'after.boundary.%')`, invoiced],
])(
  'a process killed while renewing, blocked at %s, and the next one goes on',
  async (where, before) => {
    await using server = await apiServer({ routes: [] })
    await renewing(server, 3)
    {
      await using block = await blockStatement(server.databaseUrl, where)
      const process = start(server.databaseUrl)
      await block.isBlocking()
      await process.kill()
      await endSessions(server, 'advancing')
      expect({
        invoiced: await count(server, 'invoices where period_index = 1'),
        renewed: await count(server, 'subscriptions where period_index = 1'),
      }).toEqual(before)
    }
    await start(server.databaseUrl).exited
    await expectRenewed(server, 3)
  },
  30_000,
)
