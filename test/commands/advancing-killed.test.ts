import { describe, expect, test } from 'bun:test'
import { audit } from '../../src/audit/audit.ts'
import { advanceTestClock, deleteTestClock } from '../../src/commands/test-clocks.ts'
import { openKeyring } from '../../src/keyring.ts'
import { kinds } from '../../src/kinds/all.ts'
import { blockStatement } from '../chain/watch/block-statement.ts'
import { type ApiServer, apiServer, SECRET_KEY } from '../harness/api.ts'
import { until } from '../harness/until.ts'
import { makeInvoice } from '../http/invoices.ts'
import { shop } from '../http/people.ts'
import { makeClockInvoice, makeTestClock } from '../http/test-clocks.ts'
import { endSessions, startProgram } from './killed-program.ts'

const DAY = 86_400_000
/** Midnight of a day before today. */
const START = new Date(Math.floor(Date.now() / DAY) * DAY - 60 * DAY)
const TO = new Date(START.getTime() + 30 * DAY)
const requester = { cause: 'test', responseRows: () => [] }

/** A clock that advances by 30 days, and invoices of it that are due after 2 days and after 3. */
const advancing = async ({ api }: ApiServer, count: number) => {
  const { merchantId } = await shop(api)
  const owner = { merchantId, livemode: false }
  const { id } = await makeTestClock(api, owner, START)
  const customer = await makeClockInvoice(api, owner, id, { daysUntilDue: 2, reminders: [-1, 0] })
  const customerId = customer.invoice.context.customerId
  await Promise.all(
    Array.from({ length: count - 1 }, (_, n) =>
      makeInvoice(api, owner, {
        ...{ customerId, finalize: true, daysUntilDue: n % 2 === 0 ? 2 : 3 },
        reminders: [-1, 0, 5],
      }),
    ),
  )
  const key = { ...owner, id }
  await advanceTestClock(api, key, TO, requester)
  return key
}

const findClock = async ({ sql }: ApiServer, id: string) => {
  const [clock] = await sql`select state, now, target from test_clocks where id = ${id}`
  return clock
}

/** How many reminders were sent and invoices became overdue. */
const findApplied = async ({ sql }: ApiServer) => {
  const [found] = await sql<{ reminders: number; overdue: number }[]>`
    select count(*) filter (where type = 'invoice.reminder')::int as reminders,
      count(*) filter (where type = 'invoice.overdue')::int as overdue from events`
  return found
}

/** Everything once, at its time and in the order of the times, and the clock at its target. */
const expectArrived = async (server: ApiServer, id: string, count: number) => {
  const { sql } = server
  expect(await findClock(server, id)).toEqual({ state: 'ready', now: TO, target: null })
  expect(await findApplied(server)).toEqual({ reminders: 2 + (count - 1) * 3, overdue: count })
  const [late] = await sql`
    select count(*)::int as count from invoices i, jsonb_array_elements(reminders) r
    where (r ->> 'sentAt')::timestamptz is distinct from (r ->> 'at')::timestamptz`
  expect(late).toEqual({ count: 0 })
  const [disordered] = await sql`
    select count(*)::int as count from (
      select at, lag(at) over (order by e.seq) as before
      from events e join lateral (
        select case e.type
          when 'invoice.overdue' then json_of(e.object) ->> 'dueAt'
          else json_of(e.object) -> 'reminder' ->> 'at' end::timestamptz as at) t on true
      where e.type in ('invoice.reminder', 'invoice.overdue')) o
    where at < before`
  expect(disordered).toEqual({ count: 0 })
  const moves = await sql`select event from transitions where actor = ${id} order by rev`
  expect(moves.map(({ event }) => event)).toEqual(['create', 'advance', 'arrive'])
  expect(await audit(sql, kinds, { keyring: openKeyring(SECRET_KEY) })).toEqual([])
}

const start = (databaseUrl: string, killAfter?: number) =>
  startProgram('./advancing-program.ts', [databaseUrl], killAfter)

test('a process killed 6 times while advancing a clock applies everything once, in order', async () => {
  await using server = await apiServer({ routes: [] })
  const { id } = await advancing(server, 60)
  for (let kills = 0; kills < 6; kills++) {
    await start(server.databaseUrl, 1 + kills).exited
    await endSessions(server, 'advancing')
  }
  expect(await findClock(server, id)).toMatchObject({ state: 'advancing' })
  expect((await findApplied(server))?.reminders).toBeGreaterThan(0)
  await start(server.databaseUrl).exited
  await expectArrived(server, id, 60)
}, 60_000)

test.each([
  'before update on invoices for each row',
  'before delete on timers for each row',
  'before insert on events for each row',
  'before insert on transitions for each row',
  'before update on test_clocks for each row',
])(
  'a process killed while advancing a clock, blocked at %s, and the next one goes on',
  async where => {
    await using server = await apiServer({ routes: [] })
    const { id } = await advancing(server, 4)
    {
      await using block = await blockStatement(server.databaseUrl, where)
      const process = start(server.databaseUrl)
      await block.isBlocking()
      await process.kill()
      await endSessions(server, 'advancing')
      expect(await findClock(server, id)).toMatchObject({ state: 'advancing', now: START })
      expect(await findApplied(server)).toEqual({ reminders: 0, overdue: 0 })
    }
    await start(server.databaseUrl).exited
    await expectArrived(server, id, 4)
  },
  30_000,
)

test('a process killed while a clock arrives, and the next one arrives', async () => {
  await using server = await apiServer({ routes: [] })
  const { id } = await advancing(server, 4)
  {
    await using block = await blockStatement(
      server.databaseUrl,
      `before update on test_clocks for each row when (new.state = 'ready')`,
    )
    const process = start(server.databaseUrl)
    await block.isBlocking()
    await process.kill()
    await endSessions(server, 'advancing')
    expect(await findClock(server, id)).toEqual({ state: 'advancing', now: TO, target: TO })
  }
  await start(server.databaseUrl).exited
  await expectArrived(server, id, 4)
}, 30_000)

describe('a clock that is deleted while it advances', () => {
  /** Until the deletion waits for the step under way. */
  const isWaiting = ({ sql }: ApiServer) =>
    until(
      async () =>
        (
          await sql`
            select from pg_stat_activity a where datname = current_database() and exists (
              select from pg_stat_activity b
              where b.pid = any(pg_blocking_pids(a.pid)) and b.application_name = 'advancing')`
        ).length > 0,
      { what: 'the deletion to wait for the step' },
    )

  test.each([
    ['the step ends before it', false],
    ['the process of the step is killed', true],
  ])(
    'waits for the step under way, and nothing follows it: %s',
    async (_, isKilled) => {
      await using server = await apiServer({ routes: [] })
      const key = await advancing(server, 4)
      const { process, deleted } = await (async () => {
        await using block = await blockStatement(server.databaseUrl, 'before update on invoices for each row')
        const started = start(server.databaseUrl)
        await block.isBlocking()
        const deletion = deleteTestClock(server.api, key, 'test')
        await isWaiting(server)
        if (isKilled) {
          await started.kill()
          await endSessions(server, 'advancing')
        }
        return { process: started, deleted: deletion }
      })()
      await deleted
      await process.exited
      const clock = await findClock(server, key.id)
      expect(clock).toMatchObject({ state: 'deleted', target: null })
      // The step was that of the first due time: the timers of two invoices, without what follows from them.
      expect(clock?.now.getTime()).toBeLessThan(START.getTime() + 2 * DAY)
      const applied = await findApplied(server)
      expect(applied?.overdue).toBe(0)
      const before = await server.sql`select id, rev, updated_at from invoices order by id`
      await start(server.databaseUrl).exited
      expect(await findApplied(server)).toEqual(applied)
      expect(await server.sql`select id, rev, updated_at from invoices order by id`).toEqual(before)
      expect(await audit(server.sql, kinds, { keyring: openKeyring(SECRET_KEY) })).toEqual([])
    },
    30_000,
  )
})
