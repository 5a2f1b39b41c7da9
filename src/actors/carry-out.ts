import { uuidv7 } from '../ids.ts'
import type { Outside } from '../outside.ts'
import { AnswerLost, isLockedOut } from '../postgres/errors.ts'
import type { ActorStep, Duplicate, Pending, Read } from './batch.ts'
import { LockedOut } from './command.ts'
import { commitBatch } from './commit.ts'
import { isOfAnotherEra, isTakenBefore } from './commit-errors.ts'
import { decider, type UnitVerdict } from './decide.ts'
import { leaseActors, releaseActors } from './lease.ts'
import { findLocked } from './locked.ts'
import { askingOf, readActors } from './read.ts'
import type { Registry } from './registry.ts'
import {
  type Again,
  ALL_SETTLED,
  aroundLocks,
  both,
  inOrder,
  isolate,
  jitter,
  patiently,
  setAside,
  tryLater,
  withoutDuplicates,
} from './trouble.ts'

/** Conflicts after which a command stops competing and takes its actors for itself. */
const ROUNDS_BEFORE_LEASE = 3

/** What a round is carried out with. */
type Round = Means & {
  /** It has waited for a lock before: then that was no moment's contention. */
  readonly meetsLocks: boolean
  /** The holder's name when the actors have been leased for it. */
  readonly lease: string | null
}

type Means = {
  readonly outside: Outside
  readonly registry: Registry
  /** Told of each commit that tells the outside something. */
  readonly published: (() => void) | undefined
}

/**
 * Carries units through read, decide and commit until each is settled or must go round again.
 * One bad unit never fails the others.
 */
export const carryOut = async (means: Means, units: readonly Pending[]): Promise<Again> => {
  const { aside, others } = setAside(units, needsLease)
  const round = { ...means, lease: null, meetsLocks: false }
  return inOrder([others, aside], (some, part) => (part === 0 ? attempt(round, some) : attemptLeased(round, some)))
}

const needsLease = ({ phase }: Pending): boolean => phase === 'leased'

const attempt = async (round: Round, units: readonly Pending[]): Promise<Again> => {
  if (units.length === 0) return ALL_SETTLED
  const { outside, registry } = round
  try {
    const { reads, era } = await inTime(units, readActors(outside.sql, registry, units.map(askingOf)))
    return await decideAndCommit(round, units, reads, era)
  } catch (error) {
    const wereFresh = units.filter(({ phase }) => phase === 'fresh')
    // Whatever the error says: a driver may hand over that of another statement, and this one may have been carried out.
    for (const unit of wereFresh) unit.phase = 'unsure'
    if (isLockedOut(error)) {
      const find = () => inTime(units, findLocked(outside.sql, registry, units))
      const next = { ...round, meetsLocks: true }
      return aroundLocks(units, error, find, some => attempt(next, some), round.meetsLocks)
    }
    const again = tryLater(units, error)
    if (again) return again
    // The next look finds the commands that were taken before.
    if (isOfAnotherEra(error) || (isTakenBefore(error) && wereFresh.length > 0)) return attempt(round, units)
    return isolate(registry, units, error, some => attempt(round, some))
  }
}

const attemptLeased = async (round: Round, units: readonly Pending[]): Promise<Again> => {
  if (units.length === 0) return ALL_SETTLED
  const { outside, registry } = round
  const lease = uuidv7(outside.clock.now(), outside.random)
  try {
    await inTime(units, leaseActors(outside, registry, units, lease))
    const { reads } = await inTime(units, readActors(outside.sql, registry, units.map(askingOf)))
    // There is nothing to lease of an actor that does not exist.
    const isHeld = ({ key }: { readonly key: string }) => (reads.has(key) ? reads.get(key)?.row.lease === lease : true)
    const { aside, others } = setAside(units, unit => !unit.commands.every(isHeld))
    const again = await attempt({ ...round, lease }, others)
    // The rest is leased by another process, for two seconds at most, or was passed over as locked.
    const locked = new Set<string>()
    for (const { commands } of aside)
      for (const { key, actor } of commands) if (reads.has(key) && reads.get(key)?.row.lease === null) locked.add(actor)
    const isLocked = (unit: Pending) => unit.commands.some(({ actor }) => locked.has(actor))
    const alone = aside.filter(isLocked).map(unit => ({ unit, actors: locked }))
    const leased = patiently(
      aside.filter(unit => !isLocked(unit)),
      new LockedOut(),
      20,
    )
    return both(both(again, { ...ALL_SETTLED, locked: alone }), leased)
  } catch (error) {
    // Nothing but the lease and the look at it can have failed: the rest answers for itself.
    return tryLater(units, error) ?? patiently(units, error, 20)
  } finally {
    // By now everybody has been told. A lease that is not given back ends by itself.
    await inTime(units, releaseActors(outside, registry, units, lease)).catch(error =>
      outside.log.warn({ err: error }, 'actor lease not released, it expires by itself'),
    )
  }
}

const decideAndCommit = async (
  round: Round,
  units: readonly Pending[],
  reads: ReadonlyMap<string, Read>,
  era: number | null,
): Promise<Again> => {
  const { outside, registry, lease, published } = round
  const at = outside.clock.now()
  const { decide, heads } = decider(registry, reads, at, outside.random)
  // A refusal or a fault may rest on what an earlier unit of the batch is about to leave, so it is reported after the
  // commit.
  const decided: { unit: Pending; steps: readonly ActorStep[]; verdict: UnitVerdict }[] = []
  // An earlier try that is still on its way would be carried out after a refusal. A lease is had behind it.
  const toLease: Pending[] = []
  const waited = new Set<string>()
  for (const unit of units) {
    const verdict = unit.commands.some(({ actor }) => waited.has(actor)) ? undefined : decide(unit)
    if (verdict && (verdict.verdict === 'decided' || unit.phase === 'fresh' || lease !== null)) {
      decided.push({ unit, steps: verdict.verdict === 'decided' ? verdict.steps : [], verdict })
      continue
    }
    if (verdict) unit.phase = 'leased'
    toLease.push(unit)
    for (const { actor } of unit.commands) waited.add(actor)
  }
  const answer = decided.some(({ steps }) => steps.length > 0)
    ? await inTime(
        units,
        commitBatch(outside.sql, outside.clock, registry, {
          decided,
          heads,
          at,
          lease,
          era,
        }),
      )
    : { conflicted: new Set<Pending>(), duplicated: new Map<Pending, Duplicate>() }
  const roundAgain: Again = { ...ALL_SETTLED, units: toLease }
  if (answer.duplicated.size > 0) {
    // Those who wait here are behind the others, who may be commands for the same actors.
    const sent = decided.map(({ unit }) => unit)
    return both(await withoutDuplicates(registry, sent, answer.duplicated, some => attempt(round, some)), roundAgain)
  }
  const { conflicted } = answer
  if (published && decided.some(({ steps }) => steps.some(step => step.published.length > 0)))
    notify(outside, published)
  for (const { unit, verdict } of decided) if (!conflicted.has(unit)) settle(unit, verdict)
  return both(afterConflict([...conflicted]), roundAgain)
}

/** An error here must not have committed commands tried again. */
const notify = ({ log }: Outside, published: () => void): void => {
  try {
    published()
  } catch (error) {
    log.error({ err: error }, 'wake-up after commit failed')
  }
}

const settle = (unit: Pending, verdict: UnitVerdict): void => {
  if (verdict.verdict === 'fault') unit.fail(verdict.error)
  else if (verdict.verdict === 'refused') unit.settle(verdict.refused)
  else unit.settle({ ok: true, done: verdict.done })
}

const afterConflict = (units: readonly Pending[]): Again => {
  if (units.length === 0) return ALL_SETTLED
  for (const unit of units) if (++unit.conflicts >= ROUNDS_BEFORE_LEASE) unit.phase = 'leased'
  // Whoever won writes again soon; a moment's wait lets it finish.
  return { ...ALL_SETTLED, units, pauseMs: jitter(2) }
}

/**
 * A path that is broken without a reset answers nothing, for ever. Past the last deadline nobody waits
 * any more, and whether the statement was carried out is as unknown as after a lost connection.
 */
const inTime = <T>(units: readonly Pending[], asked: Promise<T>): Promise<T> => {
  const deadline = units.reduce((latest, unit) => Math.max(latest, unit.deadline), 0)
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => reject(new AnswerLost('no answer')), Math.max(deadline - performance.now(), 50))
  asked.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}
