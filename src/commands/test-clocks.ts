import type { TestClock, TestClockEvent } from '../../machines/test-clock.ts'
import type { Actor } from '../actors/kind.ts'
import type { Services } from '../actors/services.ts'
import { refuse } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import { testClockKind } from '../kinds/test-clock.ts'
import { ofKind } from '../queries/actors.ts'
import type { ListOwner } from '../queries/list-rows.ts'
import type { RecordKey } from '../queries/record-finder.ts'
import { listSubscriptionsOfClock } from '../queries/subscriptions.ts'
import { findTestClock } from '../queries/test-clocks.ts'
import { type EventOf, type Requester, refuseTwin } from './by.ts'
import { dispatchPlanned, type InvoiceServices } from './finalizations.ts'
import { refuseState } from './state-conflicts.ts'
import { endSubscription } from './subscription-actions.ts'

/** Without `now` it shows the present. */
export const createTestClock = async (
  { clock, actors, random }: Services,
  { merchantId, livemode }: ListOwner,
  now: Date | undefined,
  { cause, responseRows }: Requester<TestClock>,
): Promise<Actor<TestClock>> => {
  const present = clock.now()
  const [earliest, latest] = [addYears(present, -1), addYears(present, 1)]
  if (now && (now < earliest || now > latest))
    refuse('parameter_invalid', { param: 'now', message: 'now must be within a year of the present.' })
  const outcome = await actors.dispatch({
    ...{ kind: 'test_clock', actor: uuidv7(present, random), cause },
    create: { merchantId, livemode, now: now ?? inMilliseconds(present) },
    rows: ([made]) => responseRows(ofKind(testClockKind, made)),
  })
  if (outcome.ok) return ofKind(testClockKind, outcome.actor)
  refuseTwin(outcome)
  return refuse('state_conflict')
}

/** The response is that of a clock that is advancing. A worker moves it: see src/server/test-clocks.ts. */
export const advanceTestClock = async (
  services: Services,
  key: RecordKey,
  to: Date,
  requester: Requester<TestClock>,
): Promise<Actor<TestClock>> => {
  if (!(await findTestClock(services.sql, key))) refuse('resource_not_found')
  return change(services, key, { type: 'advance', to }, requester, clock => requireTarget(clock, to))
}

/** While it advances, `now` changes; the machine refuses the event. */
const requireTarget = ({ state, context: { now } }: Actor<TestClock>, to: Date): void => {
  if (state !== 'ready') return
  if (to <= now) refuse('parameter_invalid', { param: 'to', message: 'to must be later than the time of the clock.' })
  if (to > addYears(now, 2))
    refuse('parameter_invalid', { param: 'to', message: 'to must be at most two years after the time of the clock.' })
}

/**
 * Ends the subscriptions of the clock, then hides it. The other records of its customers stay as they are, and their time
 * stands still. If the process is killed, the request can be repeated.
 */
export const deleteTestClock = async (services: InvoiceServices, key: RecordKey, cause: string): Promise<void> => {
  if (!(await findTestClock(services.sql, key))) refuse('resource_not_found')
  const endAll = async () => {
    for (const subscription of await listSubscriptionsOfClock(services.sql, key.id))
      await endSubscription(services, { ...key, id: subscription }, cause)
  }
  await endAll()
  await change(services, key, { type: 'delete' }, { cause, responseRows: () => [] })
  // Those that were created in the meantime.
  await endAll()
}

/** `check`: of the clock as it is in the commit. */
const change = async (
  services: Services,
  { id }: RecordKey,
  event: EventOf<TestClockEvent>,
  { cause, responseRows }: Requester<TestClock>,
  check: (clock: Actor<TestClock>) => void = () => {},
): Promise<Actor<TestClock>> => {
  const rows = ([changed]: readonly Actor[]) => responseRows(ofKind(testClockKind, changed))
  const given = (actors: ReadonlyMap<string, Actor>) => {
    check(ofKind(testClockKind, actors.get(id)))
    return {}
  }
  const outcome = await dispatchPlanned(services, [{ kind: 'test_clock', actor: id, event, cause, rows, given }])
  if (outcome === 'stale') return refuse('service_unavailable', { retryAfter: 1 })
  if (outcome.ok) return ofKind(testClockKind, outcome.done[0]?.actor)
  refuseTwin(outcome)
  if (outcome.actor?.state === 'deleted') refuse('resource_not_found')
  return refuseState(outcome)
}

/** 29 February of another year is 1 March. */
const addYears = (at: Date, years: number): Date => {
  const moved = new Date(at)
  moved.setUTCFullYear(at.getUTCFullYear() + years)
  return moved
}

/** The clock of the database also counts parts of a millisecond. */
const inMilliseconds = (at: Date): Date => new Date(Math.floor(at.getTime()))
