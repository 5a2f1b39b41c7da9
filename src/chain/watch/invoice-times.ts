import type { Reminder } from '../../../machines/invoice-events.ts'
import { unlessLocked } from '../../actors/command.ts'
import type { Services } from '../../actors/services.ts'
import type { Sql } from '../../postgres/connect.ts'
import { isSettled, readUpTo } from '../../queries/invoice-waits.ts'
import type { Fragment } from '../../queries/list-rows.ts'

/** Invoices in one page. */
const PAGE = 500

/**
 * Makes invoices overdue and sends their reminders: of invoices whose timers have fired, once the chains that their open
 * payments are on have been read past the time, and all transfers that were recorded are applied. So an outage of a chain
 * delays them, and an invoice whose money was sent in time does not become overdue. Invoices without open payments wait for
 * the clock of the database alone. Returns how many events were taken.
 */
export const passInvoiceTimes = (world: Services): Promise<number> => passAll(world, null)

/**
 * The same for the invoices of a test clock, when its time has come. They wait until none of their payments is `processing`,
 * and for nothing else.
 */
export const passInvoiceTimesOf = (world: Services, testClockId: string): Promise<number> => passAll(world, testClockId)

const passAll = async (world: Services, testClockId: string | null): Promise<number> => {
  let count = 0
  let page: readonly Waiting[] = []
  do {
    // An invoice that must wait does not hold up the following ones.
    page = await findWaiting(world.sql, testClockId, page.at(-1)?.id)
    const passed = await Promise.all(page.map(invoice => passTimes(world, invoice)))
    for (const events of passed) count += events
  } while (page.length === PAGE)
  return count
}

type Waiting = {
  readonly id: string
  /** Null if the due date has had its effect, or its timer has not fired yet. */
  readonly due_at: Date | null
  readonly reminders: readonly Reminder[]
  readonly reminders_passed: number
  readonly scanned_to: Date
}

/** By the predicate of the index `invoices_waiting`. */
const findWaiting = (sql: Sql, testClockId: string | null, after = '00000000-0000-0000-0000-000000000000') => sql<
  Waiting[]
>`
  select i.id, case when due_passed and not overdue then due_at end as due_at, reminders, reminders_passed, scanned_to
  from invoices i
  cross join lateral (${testClockId === null ? scannedChains(sql) : timeOfClock(sql, testClockId)}) s
  where ${testClockId === null ? sql`i.test_clock_id is null` : sql`i.test_clock_id = ${testClockId}`}
    and i.id > ${after} and has_passed_times(state, due_passed, overdue, reminders, reminders_passed)
    and amount_processing_minor = 0
    ${testClockId === null ? sql`and ${isSettled(sql)}` : sql``}
  order by i.id limit ${PAGE}`

const scannedChains = (sql: Sql): Fragment => sql`
  select least(now(), min(c.mined_at)) as scanned_to from (${readUpTo(sql)}) c`

/** What is due at this time is over. Nothing is due by a clock that was deleted. */
const timeOfClock = (sql: Sql, testClockId: string): Fragment => sql`
  select now + interval '1 ms' as scanned_to from test_clocks where id = ${testClockId} and state <> 'deleted'`

/** In the order of their times. */
const passTimes = async ({ actors }: Services, invoice: Waiting): Promise<number> => {
  const scannedTo = invoice.scanned_to
  let count = 0
  for (const event of eventsOf(invoice)) {
    const sent = { kind: 'invoice', actor: invoice.id, event: { ...event, scannedTo }, cause: 'timer' }
    const outcome = await unlessLocked(actors.dispatch(sent))
    if (outcome?.ok) count++
  }
  return count
}

const eventsOf = ({ due_at, reminders, reminders_passed, scanned_to }: Waiting) => {
  const isRead = ({ at }: { readonly at: Date }) => at < scanned_to
  const due = due_at === null ? [] : [{ at: due_at, event: { type: 'due_date_passed' } }]
  const unsent = reminders
    .slice(0, reminders_passed)
    .flatMap(({ offsetDays, at, sentAt }) =>
      sentAt === null ? [{ at: new Date(at), event: { type: 'reminder_passed', offsetDays } }] : [],
    )
  return [...due, ...unsent]
    .filter(isRead)
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ event }) => event)
}
