import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../actors/command.ts'
import { openRounds } from '../actors/rounds.ts'
import { ORPHANED_MS, postpone, type TimerShare } from '../actors/timers.ts'
import { dispatchPlanned, type InvoiceServices } from '../commands/finalizations.ts'
import { type DueTimer, planTimer, type TimerOutage } from '../commands/subscription-timers.ts'
import { isTransient } from '../postgres/errors.ts'
import type { Fragment } from '../queries/list-rows.ts'
import { recordTimerRun } from '../queries/subscription-runs.ts'

type LoopOptions = {
  readonly pollMs?: number
  readonly pageSize?: number
  readonly atOnce?: number
  /** As of the loop of the other timers. */
  readonly share?: () => TimerShare
}

export type SubscriptionLoop = {
  /** Applies what is due now, and returns how many timers were fired. */
  runOnce(): Promise<number>
  start(): void
  stop(): Promise<void>
}

const PAGE_SIZE = 240

/** Timers that are fired at the same time, so that the dispatcher makes small batches of them. */
const AT_ONCE = 24

/**
 * One after the other takes at least so long: 600 in a second. More would use a processor of their own, and live requests would
 * take longer.
 */
const LEAST_MS = 40

/** Plans that another commit has overtaken are made again so many times, then in the next round. */
const MOST_TRIES = 3

/**
 * Fires the planned timers of subscriptions: what they cause is a bundle with invoices. Timers need not be claimed: the bundle
 * contains the timer's event, so a second one is refused.
 */
export const runSubscriptions = (
  services: InvoiceServices,
  { pollMs = 500, pageSize = PAGE_SIZE, atOnce = AT_ONCE, share = () => ({ index: 0, of: 1 }) }: LoopOptions = {},
): SubscriptionLoop => {
  const runOnce = async (): Promise<number> => {
    const { sql, clock } = services
    const now = clock.now()
    const { index, of } = share()
    const fireDue = (at: Date, ofShare: Fragment) =>
      fireAll(services, {
        ...{ isStopping: () => rounds.stopping.aborted, atOnce, leastMs: LEAST_MS },
        // With every page, because a round can take longer than what counts as an outage.
        recordRun: () => recordTimerRun(sql),
        find: after => findDue(services, { at, after, pageSize, ofShare }),
      })
    const part = sql`(hashtext(t.actor::text) & 2147483647) % ${of}`
    const fired = await fireDue(now, sql`${part} = ${index}`)
    if (fired > 0 || of === 1) return fired
    // Their process may be gone.
    return fireDue(new Date(now.getTime() - ORPHANED_MS), sql`${part} <> ${index}`)
  }

  const rounds = openRounds({
    pollMs,
    round: async () => (await runOnce()) > 0,
    failed: err => services.log.warn({ err }, 'subscriptions not renewed, retrying'),
  })
  return { runOnce, start: rounds.start, stop: rounds.stop }
}

/** What is due by a test clock: see src/server/test-clocks.ts. */
export const passSubscriptionTimers = (services: InvoiceServices, testClockId: string): Promise<number> =>
  fireAll(services, {
    recordRun: async () => undefined,
    ...{ isStopping: () => false, atOnce: AT_ONCE, leastMs: 0 },
    find: after => findDueOf(services, testClockId, after),
  })

type Claim = DueTimer & { readonly kind: string; readonly failures: number; readonly dueAt: Date }

type Firing = {
  /** Returns the last outage. */
  readonly recordRun: () => Promise<TimerOutage | undefined>
  readonly isStopping: () => boolean
  readonly atOnce: number
  readonly leastMs: number
  /** The next page, in order of time. */
  readonly find: (after: Claim | undefined) => Promise<Claim[]>
}

/** A round: page by page, so that timers that wait do not hold up the others. */
const fireAll = async (
  services: InvoiceServices,
  { recordRun, isStopping, atOnce, leastMs, find }: Firing,
): Promise<number> => {
  let fired = 0
  let last: Claim | undefined
  while (!isStopping()) {
    const outage = await recordRun()
    const page = await find(last)
    last = page.at(-1)
    if (!last) break
    const waiting = page.values()
    const fireNext = async () => {
      for (const due of waiting) {
        const [isFired] = await Promise.all([fire(services, due, outage), sleep(leastMs)])
        if (isFired) fired++
      }
    }
    await Promise.all(Array.from({ length: atOnce }, fireNext))
  }
  return fired
}

type Due = {
  readonly at: Date
  readonly after: Claim | undefined
  readonly pageSize: number
  readonly ofShare: Fragment
}

const findDue = ({ sql }: InvoiceServices, { at, after, pageSize, ofShare }: Due) => sql<Claim[]>`
  ${claims(sql)}
  where t.planned and t.kind = 'subscription' and t.test_clock_id is null and t.due_at <= ${at} and ${ofShare}
    and (t.retry_at is null or t.retry_at <= ${at})
    ${isFirst(sql)} ${isAfter(sql, after)}
  order by t.due_at, t.actor limit ${pageSize}`

const findDueOf = ({ sql, clock }: InvoiceServices, testClockId: string, after: Claim | undefined) => sql<Claim[]>`
  ${claims(sql)}
  join test_clocks c on c.id = t.test_clock_id
  where t.planned and t.kind = 'subscription' and t.test_clock_id = ${testClockId} and t.due_at <= c.now
    and (t.retry_at is null or t.retry_at <= ${clock.now()})
    ${isFirst(sql)} ${isAfter(sql, after)}
  order by t.due_at, t.actor limit ${PAGE_SIZE}`

type Sql = InvoiceServices['sql']

const claims = (sql: Sql) => sql`
  select t.actor, t.name, t.kind, t.generation, t.failures, t.due_at as "dueAt", s.merchant_id as "merchantId", s.livemode
  from timers t join subscriptions s on s.id = t.actor`

// Of one subscription strictly in order. Of the same time, the invoice of a period comes before its beginning, and that
// before the end of a grace.
const isFirst = (sql: Sql) => sql`
  and not exists (
    select from timers o
    where o.actor = t.actor and o.name <> t.name and (o.due_at, ${rank(sql, 'o')}) < (t.due_at, ${rank(sql, 't')}))`

const rank = (sql: Sql, timer: string) =>
  sql`array_position(array['invoice', 'boundary', 'firstDue', 'trialEnding', 'grace', 'expiry', 'resume'], split_part(${sql(timer)}.name, '.', 1))`

const isAfter = (sql: Sql, after: Claim | undefined) =>
  after ? sql`and (t.due_at, t.actor) > (${after.dueAt}, ${after.actor})` : sql``

/** Whether the timer is no longer due. */
const fire = async (services: InvoiceServices, due: Claim, outage: TimerOutage | undefined): Promise<boolean> => {
  const { actor, kind, name } = due
  try {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const commands = await planTimer(services, due, { outage, isRetried: tries > 0 })
      if (commands === 'wait') return false
      const outcome = await dispatchPlanned(services, commands)
      if (outcome === 'stale') continue
      if (outcome.ok) return true
      // Another process was faster, or the subscription was changed.
      if (outcome.refusal === 'stale') return false
      // An invoice has changed since it was read.
      if (outcome.actor?.kind !== 'subscription' && tries < MOST_TRIES - 1) continue
      services.log.error(
        { kind, actor, timer: name, refusal: outcome.refusal },
        'timer event refused by its actor, postponed',
      )
      await postpone(services, due)
      return false
    }
  } catch (err) {
    // The database is not available, or a row is locked: it is still due in the next round.
    if (err instanceof Unavailable || isTransient(err)) return false
    services.log.error({ err, kind, actor, timer: name }, 'timer event failed, postponed')
    await postpone(services, due)
  }
  return false
}
