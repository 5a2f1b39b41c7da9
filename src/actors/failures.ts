import { classifyError, constraintOf } from '../postgres/errors.ts'
import type { Duplicate, PendingUnit } from './batch.ts'
import { CommandFault, type Refused, Unavailable } from './command.ts'
import type { Registry } from './registry.ts'

/** Units that are not settled and must be retried. */
export type Unfinished = {
  /** Retried together. */
  readonly units: readonly PendingUnit[]
  /** The pause before the retry. */
  readonly pauseMs: number
  /** Units with a locked row. They are retried alone. */
  readonly locked: readonly Locked[]
}

/** A unit, and its actors whose rows are locked. */
export type Locked = { readonly unit: PendingUnit; readonly actors: ReadonlySet<string> }

export const ALL_SETTLED: Unfinished = { units: [], pauseMs: 0, locked: [] }

export const mergeUnfinished = (a: Unfinished, b: Unfinished): Unfinished => ({
  units: [...a.units, ...b.units],
  pauseMs: Math.max(a.pauseMs, b.pauseMs),
  locked: [...a.locked, ...b.locked],
})

type Attempt = (units: readonly PendingUnit[]) => Promise<Unfinished>

/**
 * Handles a commit that failed because rows that some units would insert already exist; nothing was committed. The
 * other units are retried first, because they may be the ones that insert these rows. A unit is refused if the existing
 * row is certainly committed, or if the unit was alone in the commit.
 */
export const retryWithoutDuplicates = async (
  registry: Registry,
  units: readonly PendingUnit[],
  duplicated: ReadonlyMap<PendingUnit, Duplicate>,
  attempt: Attempt,
): Promise<Unfinished> => {
  const others = units.filter(unit => !duplicated.has(unit))
  if (others.length > 0) return attemptInOrder([others, [...duplicated.keys()]], attempt)
  const alone: PendingUnit[] = []
  const leased: PendingUnit[] = []
  for (const [unit, { constraint, certain }] of duplicated) {
    if (!certain && units.length > 1) alone.push(unit)
    // The row may be the unit's own, written by an earlier attempt or by another process. That is checked first.
    else if (unit.phase === 'unsure' || (unit.phase === 'fresh' && unit.keyed)) leased.push(moveToLease(unit))
    else unit.settle(refusedBy(registry, constraint))
  }
  const unfinished = await attemptInOrder(
    alone.map(unit => [unit]),
    attempt,
  )
  return mergeUnfinished(unfinished, { ...ALL_SETTLED, units: leased })
}

const moveToLease = (unit: PendingUnit): PendingUnit => {
  unit.phase = 'leased'
  return unit
}

const refusedBy = (registry: Registry, constraint: string): Refused => ({
  ok: false,
  refusal: registry.refusalOf(constraint) ?? 'exists',
  constraint,
  index: 0,
  possible: [],
})

/**
 * After an error of the database, units are retried until their deadline. Returns undefined if the error is caused by a
 * command.
 */
export const retryAfterDatabaseError = (units: readonly PendingUnit[], error: unknown): Unfinished | undefined => {
  return classifyError(error) === 'final' ? undefined : retryUntilDeadline(units, error, 200)
}

/** Retries units whose deadline has not passed. The others fail with Unavailable. */
export const retryUntilDeadline = (units: readonly PendingUnit[], error: unknown, aboutMs: number): Unfinished => {
  const now = performance.now()
  for (const unit of units) if (now >= unit.deadline) unit.fail(new Unavailable(error))
  return { ...ALL_SETTLED, units: units.filter(unit => now < unit.deadline), pauseMs: jitter(aboutMs) }
}

/** One unit of the batch cannot be committed. Attempts both halves in order, recursively, to find it. */
export const bisect = async (
  registry: Registry,
  units: readonly PendingUnit[],
  error: unknown,
  attempt: Attempt,
): Promise<Unfinished> => {
  const [only] = units
  const command = only?.commands[0]
  if (only && command && units.length === 1) {
    // postgres.js can reject a statement with the error of an earlier one whose connection was cut.
    if (only.phase !== 'leased') return { ...ALL_SETTLED, units: [moveToLease(only)] }
    const constraint = constraintOf(error)
    if (constraint && registry.refusalOf(constraint)) only.settle(refusedBy(registry, constraint))
    else only.fail(new CommandFault(command, error))
    return ALL_SETTLED
  }
  return attemptInOrder(halves(units), attempt)
}

/** Handles a lock timeout: units with locked rows are retried alone, the others are retried together without them. */
export const retryWithoutLocked = async (
  units: readonly PendingUnit[],
  error: unknown,
  find: () => Promise<ReadonlySet<string>>,
  attempt: Attempt,
  isRetry: boolean,
): Promise<Unfinished> => {
  let actors: ReadonlySet<string>
  try {
    actors = await find()
  } catch {
    // A whole table is locked, or the database is unreachable.
    return retryUntilDeadline(units, error, 200)
  }
  const isLocked = (unit: PendingUnit) => unit.commands.some(({ actor }) => actors.has(actor))
  const { aside, others } = setAside(units, isLocked)
  if (aside.length > 0) {
    const unfinished = others.length === 0 ? ALL_SETTLED : await attempt(others)
    const locked = aside.filter(isLocked).map(unit => ({ unit, actors }))
    return mergeUnfinished(unfinished, { pauseMs: 0, locked, units: aside.filter(unit => !isLocked(unit)) })
  }
  // The lock was released, or it is not on an actor's row.
  if (!isRetry) return attempt(units)
  const [only] = units
  if (only && units.length === 1) return { ...ALL_SETTLED, locked: [{ unit: only, actors: actorsOf(only) }] }
  return attemptInOrder(halves(units), attempt)
}

const actorsOf = ({ commands }: PendingUnit): ReadonlySet<string> => new Set(commands.map(({ actor }) => actor))

const halves = (units: readonly PendingUnit[]): [readonly PendingUnit[], readonly PendingUnit[]] => {
  const middle = Math.ceil(units.length / 2)
  return [units.slice(0, middle), units.slice(middle)]
}

/**
 * Splits off the units that must wait, and later ones for the same actors, because an actor's commands keep their
 * order.
 */
export const setAside = (units: readonly PendingUnit[], mustWait: (unit: PendingUnit) => boolean) => {
  const wanted = new Set<string>()
  const aside: PendingUnit[] = []
  const others: PendingUnit[] = []
  for (const unit of units) {
    if (mustWait(unit) || unit.commands.some(({ actor }) => wanted.has(actor))) {
      aside.push(unit)
      for (const { actor } of unit.commands) wanted.add(actor)
    } else others.push(unit)
  }
  return { aside, others }
}

/**
 * Attempts one part after the other. Units with the actors of an unfinished unit are not attempted: they stay behind
 * it.
 */
export const attemptInOrder = async (
  parts: readonly (readonly PendingUnit[])[],
  attempt: (units: readonly PendingUnit[], part: number) => Promise<Unfinished>,
): Promise<Unfinished> => {
  let unfinished = ALL_SETTLED
  const waiting = new Set<string>()
  for (const [n, part] of parts.entries()) {
    const blocked = part.filter(unit => {
      const waits = unit.commands.some(({ actor }) => waiting.has(actor))
      if (waits) for (const { actor } of unit.commands) waiting.add(actor)
      return waits
    })
    const answer = await attempt(blocked.length === 0 ? part : part.filter(unit => !blocked.includes(unit)), n)
    const left = [...answer.units, ...answer.locked.map(({ unit }) => unit)]
    for (const unit of left) for (const { actor } of unit.commands) waiting.add(actor)
    unfinished = mergeUnfinished(unfinished, mergeUnfinished(answer, { ...ALL_SETTLED, units: blocked }))
  }
  return unfinished
}

export const jitter = (ms: number): number => ms / 2 + Math.random() * ms
