import type { Dependencies } from '../dependencies.ts'
import { uuidv7 } from '../ids.ts'
import { AnswerLost, isLockTimeout } from '../postgres/errors.ts'
import type { ActorStep, Duplicate, PendingUnit } from './batch.ts'
import { LockedOut } from './command.ts'
import { commitBatch } from './commit.ts'
import { isAlreadyExecuted, isOfAnotherEra } from './commit-errors.ts'
import { decider, type UnitVerdict } from './decide.ts'
import {
  ALL_SETTLED,
  attemptInOrder,
  bisect,
  jitter,
  mergeUnfinished,
  retryAfterDatabaseError,
  retryUntilDeadline,
  retryWithoutDuplicates,
  retryWithoutLocked,
  setAside,
  type Unfinished,
} from './failures.ts'
import { findLocked } from './find-locked.ts'
import { leaseActors, releaseActors } from './lease.ts'
import { readActors, readRequestOf } from './read.ts'
import type { Registry } from './registry.ts'

/** After this many conflicts a command leases its actors instead of competing for them. */
const ROUNDS_BEFORE_LEASE = 3

type Round = Executor & {
  /** The batch has already timed out on a lock, so the lock is more than momentary contention. */
  readonly timedOutOnLock: boolean
  /** The name of the lease that is held on the actors, or null. */
  readonly lease: string | null
}

type Executor = {
  readonly deps: Dependencies
  readonly registry: Registry
  /** Called after each commit that contains a public event. */
  readonly onPublished: (() => void) | undefined
}

/** Reads, decides and commits units until each is settled or must be retried. A faulty unit never fails the others. */
export const executeBatch = async (executor: Executor, units: readonly PendingUnit[]): Promise<Unfinished> => {
  const { aside, others } = setAside(units, needsLease)
  const round = { ...executor, lease: null, timedOutOnLock: false }
  return attemptInOrder([others, aside], (some, part) =>
    part === 0 ? attempt(round, some) : attemptLeased(round, some),
  )
}

const needsLease = ({ phase }: PendingUnit): boolean => phase === 'leased'

const attempt = async (round: Round, units: readonly PendingUnit[]): Promise<Unfinished> => {
  if (units.length === 0) return ALL_SETTLED
  const { deps, registry } = round
  try {
    const read = await withDeadline(units, readActors(deps.sql, registry, units.map(readRequestOf)))
    return await decideAndCommit(round, units, read)
  } catch (error) {
    const wereFresh = units.filter(({ phase }) => phase === 'fresh')
    // Whatever the error is: the driver may report the error of another statement, and this one may have been executed.
    for (const unit of wereFresh) unit.phase = 'unsure'
    if (isLockTimeout(error)) {
      const find = () => withDeadline(units, findLocked(deps.sql, registry, units))
      const next = { ...round, timedOutOnLock: true }
      return retryWithoutLocked(units, error, find, some => attempt(next, some), round.timedOutOnLock)
    }
    const retry = retryAfterDatabaseError(units, error)
    if (retry) return retry
    // The next read finds the commands that were already executed.
    if (isOfAnotherEra(error) || (isAlreadyExecuted(error) && wereFresh.length > 0)) return attempt(round, units)
    return bisect(registry, units, error, some => attempt(round, some))
  }
}

const attemptLeased = async (round: Round, units: readonly PendingUnit[]): Promise<Unfinished> => {
  if (units.length === 0) return ALL_SETTLED
  const { deps, registry } = round
  const lease = uuidv7(deps.clock.now(), deps.random)
  try {
    await withDeadline(units, leaseActors(deps, registry, units, lease))
    const { reads } = await withDeadline(units, readActors(deps.sql, registry, units.map(readRequestOf)))
    // An actor that does not exist yet cannot be leased.
    const isHeld = ({ key }: { readonly key: string }) => (reads.has(key) ? reads.get(key)?.row.lease === lease : true)
    const { aside, others } = setAside(units, unit => !unit.commands.every(isHeld))
    const unfinished = await attempt({ ...round, lease }, others)
    // The other actors are leased by another process, for two seconds at most, or were skipped because they are locked.
    const locked = new Set<string>()
    for (const { commands } of aside)
      for (const { key, actor } of commands) if (reads.has(key) && reads.get(key)?.row.lease === null) locked.add(actor)
    const isLocked = (unit: PendingUnit) => unit.commands.some(({ actor }) => locked.has(actor))
    const alone = aside.filter(isLocked).map(unit => ({ unit, actors: locked }))
    const leased = retryUntilDeadline(
      aside.filter(unit => !isLocked(unit)),
      new LockedOut(),
      20,
    )
    return mergeUnfinished(mergeUnfinished(unfinished, { ...ALL_SETTLED, locked: alone }), leased)
  } catch (error) {
    // Only leasing or reading can have failed here: `attempt` handles its own errors.
    return retryAfterDatabaseError(units, error) ?? retryUntilDeadline(units, error, 20)
  } finally {
    // All callers have been answered by now. A lease that is not released expires by itself.
    await withDeadline(units, releaseActors(deps, registry, units, lease)).catch(error =>
      deps.log.warn({ err: error }, 'actor lease not released, it expires by itself'),
    )
  }
}

const decideAndCommit = async (
  round: Round,
  units: readonly PendingUnit[],
  { reads, era, clocks }: Awaited<ReturnType<typeof readActors>>,
): Promise<Unfinished> => {
  const { deps, registry, lease, onPublished } = round
  const at = deps.clock.now()
  const { decide, heads } = decider(registry, reads, { at, clocks }, deps.random)
  // A refusal or a fault may depend on what an earlier unit of the batch writes, so it is reported after the commit.
  const decided: { unit: PendingUnit; steps: readonly ActorStep[]; verdict: UnitVerdict }[] = []
  // An earlier attempt may still be running in the database and would be executed after the refusal. Taking a lease
  // waits for it.
  const toLease: PendingUnit[] = []
  const deferredActors = new Set<string>()
  for (const unit of units) {
    const verdict = unit.commands.some(({ actor }) => deferredActors.has(actor)) ? undefined : decide(unit)
    if (verdict && (verdict.verdict === 'decided' || unit.phase === 'fresh' || lease !== null)) {
      decided.push({ unit, steps: verdict.verdict === 'decided' ? verdict.steps : [], verdict })
      continue
    }
    if (verdict) unit.phase = 'leased'
    toLease.push(unit)
    for (const { actor } of unit.commands) deferredActors.add(actor)
  }
  const answer = decided.some(({ steps }) => steps.length > 0)
    ? await withDeadline(
        units,
        commitBatch(deps.sql, deps.clock, registry, {
          decided,
          heads,
          at,
          lease,
          era,
        }),
      )
    : { conflicted: new Set<PendingUnit>(), duplicated: new Map<PendingUnit, Duplicate>() }
  const deferred: Unfinished = { ...ALL_SETTLED, units: toLease }
  if (answer.duplicated.size > 0) {
    // Deferred units wait for these, which may be commands for the same actors.
    const sent = decided.map(({ unit }) => unit)
    return mergeUnfinished(
      await retryWithoutDuplicates(registry, sent, answer.duplicated, some => attempt(round, some)),
      deferred,
    )
  }
  const { conflicted } = answer
  if (onPublished && decided.some(({ steps }) => steps.some(step => step.published.length > 0)))
    notify(deps, onPublished)
  for (const { unit, verdict } of decided) if (!conflicted.has(unit)) settle(unit, verdict)
  return mergeUnfinished(afterConflict([...conflicted]), deferred)
}

/** Catches errors: committed commands must not be retried because of them. */
const notify = ({ log }: Dependencies, onPublished: () => void): void => {
  try {
    onPublished()
  } catch (error) {
    log.error({ err: error }, 'wake-up after commit failed')
  }
}

const settle = (unit: PendingUnit, verdict: UnitVerdict): void => {
  if (verdict.verdict === 'fault') unit.fail(verdict.error)
  else if (verdict.verdict === 'refused') unit.settle(verdict.refused)
  else unit.settle({ ok: true, done: verdict.done })
}

const afterConflict = (units: readonly PendingUnit[]): Unfinished => {
  if (units.length === 0) return ALL_SETTLED
  for (const unit of units) if (++unit.conflicts >= ROUNDS_BEFORE_LEASE) unit.phase = 'leased'
  // The other writer probably writes again soon. A short pause lets it finish.
  return { ...ALL_SETTLED, units, pauseMs: jitter(2) }
}

/**
 * On a network path that drops packets no answer ever arrives. After the latest deadline of the units no caller waits
 * any more, and it is unknown whether the statement was executed, as after a lost connection.
 */
const withDeadline = <T>(units: readonly PendingUnit[], pending: Promise<T>): Promise<T> => {
  const deadline = units.reduce((latest, unit) => Math.max(latest, unit.deadline), 0)
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => reject(new AnswerLost('no answer')), Math.max(deadline - performance.now(), 50))
  pending.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}
