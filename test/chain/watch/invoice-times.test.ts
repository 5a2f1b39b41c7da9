import { afterAll, beforeEach, expect, test } from 'bun:test'
import { openActors } from '../../../src/actors/actors.ts'
import { openTimers } from '../../../src/actors/timers.ts'
import { passInvoiceTimes } from '../../../src/chain/watch/invoice-times.ts'
import { manualClock } from '../../../src/clock.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { apiServer } from '../../harness/api.ts'
import { makeInvoice } from '../../http/invoices.ts'
import { openPayment } from '../../http/payments.ts'
import { shop } from '../../http/people.ts'

const DAY = 86_400_000
const CHAIN = 31_337

const server = await apiServer({ routes: [] })
afterAll(() => server[Symbol.asyncDispose]())
const { sql } = server
// The invoices of this file are issued 40 days ago, so that their times are over.
const clock = manualClock()
const outside = { ...server.api, clock }
const api = { ...outside, actors: await openActors(outside, kinds) }
const timers = openTimers(outside, api.actors)
const mode = { merchantId: (await shop(server.api)).merchantId, livemode: false }

beforeEach(() => clock.set(new Date(Date.now() - 40 * DAY)))

/** Issued 40 days ago, due 30 days ago; all of its timers have fired. */
const due = async (reminders: readonly number[] = []) => {
  const { invoice } = await makeInvoice(api, mode, { daysUntilDue: 10, reminders, finalize: true })
  return { invoice, id: invoice.id }
}
const fireTimers = async () => {
  clock.set(new Date())
  while ((await timers.fireDue()) > 0);
}
const pass = async () => {
  while ((await passInvoiceTimes(api)) > 0);
}
const eventsOf = async (id: string) => {
  const rows = await sql<{ type: string; offset: number | null }[]>`
    select type, (json_of(object) -> 'reminder' ->> 'offsetDays')::integer as offset from events where actor = ${id} order by seq`
  return rows.slice(2).map(({ type, offset }) => (offset === null ? type : `${type} ${offset}`))
}
const stateOf = async (id: string) => {
  const [row] = await sql`select state, overdue, due_passed, reminders_passed from invoices where id = ${id}`
  return row
}
/** The chain has been read up to this long ago. */
const readTo = (daysAgo: number) => sql`
  insert into chain_cursors (chain_id, number, hash, mined_at, final_number, step)
  values (${CHAIN}, 1, ${`0x${'0'.repeat(64)}`}, ${new Date(Date.now() - daysAgo * DAY)}, 0, 0)
  on conflict (chain_id) do update set mined_at = excluded.mined_at`

test('without an open payment, the due date and each reminder have their event once, in the order of their times', async () => {
  const { id } = await due([-3, 0, 7])
  await pass()
  expect(await eventsOf(id)).toEqual([])
  await fireTimers()
  expect(await stateOf(id)).toEqual({ state: 'open', overdue: false, due_passed: true, reminders_passed: 3 })
  await Promise.all([pass(), pass(), pass()])
  const expected = ['invoice.reminder -3', 'invoice.reminder 0', 'invoice.overdue', 'invoice.reminder 7']
  expect(await eventsOf(id)).toEqual(expected)
  await fireTimers()
  await pass()
  expect(await eventsOf(id)).toEqual(expected)
  expect(await stateOf(id)).toMatchObject({ overdue: true })
})

test('with an open payment they wait until its chain has been read past them', async () => {
  const { id, invoice } = await due([-3, 7])
  await openPayment(api, mode, { opening: { paymentLinkId: invoice.context.paymentLinkId } })
  await fireTimers()
  await readTo(34)
  await pass()
  expect(await eventsOf(id)).toEqual([])
  // The reminder was due 33 days ago, and the invoice 30 days ago.
  await readTo(32)
  await pass()
  expect(await eventsOf(id)).toEqual(['invoice.reminder -3'])
  await readTo(25)
  await pass()
  expect(await eventsOf(id)).toEqual(['invoice.reminder -3', 'invoice.overdue'])
  await readTo(0)
  await pass()
  expect(await eventsOf(id)).toEqual(['invoice.reminder -3', 'invoice.overdue', 'invoice.reminder 7'])
})

test('a transfer that is recorded and not applied yet delays them', async () => {
  const { id, invoice } = await due()
  const payment = await openPayment(api, mode, { opening: { paymentLinkId: invoice.context.paymentLinkId } })
  await fireTimers()
  await readTo(0)
  await sql`insert into unsettled_payments values (${payment.actor}, ${CHAIN}, 1)`
  await pass()
  expect(await eventsOf(id)).toEqual([])
  await sql`delete from unsettled_payments`
  await pass()
  expect(await eventsOf(id)).toEqual(['invoice.overdue'])
})

test('money that is processing delays them, and money that has paid the invoice cancels them', async () => {
  const [waiting, paid] = [await due([7]), await due([7])]
  const happen = (id: string, event: object) =>
    api.actors.dispatch({ kind: 'invoice', actor: id, event: event as { type: string } })
  await happen(waiting.id, { type: 'payment_processing', amountMinor: 4_900 })
  await happen(paid.id, { type: 'money_counted', paymentId: 'payment 1', countedMinor: 4_900, processedMinor: 0 })
  await fireTimers()
  await pass()
  expect(await eventsOf(waiting.id)).toEqual([])
  await happen(waiting.id, { type: 'payment_reverted', amountMinor: 4_900 })
  await pass()
  expect(await eventsOf(waiting.id)).toEqual(['invoice.overdue', 'invoice.reminder 7'])
  expect(await eventsOf(paid.id)).toEqual(['invoice.payment_received', 'invoice.paid'])
})
