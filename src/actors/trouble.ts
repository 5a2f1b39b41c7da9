import { constraintOf, judgeError } from '../postgres/errors.ts'
import type { Duplicate, Pending } from './batch.ts'
import { CommandFault, type Refused, Unavailable } from './command.ts'
import type { Registry } from './registry.ts'

/** Units that are not settled. */
export type Again = {
  /** They must go round again. */
  readonly units: readonly Pending[]
  /** After so long. */
  readonly pauseMs: number
  /** A row that they change is locked: they are retried alone. */
  readonly locked: readonly Locked[]
}

/** A unit, and those of its actors that are locked. */
export type Locked = { readonly unit: Pending; readonly actors: ReadonlySet<string> }

export const ALL_SETTLED: Again = { units: [], pauseMs: 0, locked: [] }

export const both = (a: Again, b: Again): Again => ({
  units: [...a.units, ...b.units],
  pauseMs: Math.max(a.pauseMs, b.pauseMs),
  locked: [...a.locked, ...b.locked],
})

type Attempt = (units: readonly Pending[]) => Promise<Again>

/**
 * Nothing was committed, because rows that some units would insert are already there. The others
 * go first: they may hold the very rows. A unit is refused for good by a row that is certainly
 * committed, or when it had the commit to itself.
 */
export const withoutDuplicates = async (
  registry: Registry,
  units: readonly Pending[],
  duplicated: ReadonlyMap<Pending, Duplicate>,
  attempt: Attempt,
): Promise<Again> => {
  const others = units.filter(unit => !duplicated.has(unit))
  if (others.length > 0) return inOrder([others, [...duplicated.keys()]], attempt)
  const alone: Pending[] = []
  const leased: Pending[] = []
  for (const [unit, { constraint, certain }] of duplicated) {
    if (!certain && units.length > 1) alone.push(unit)
    // The row may be the unit's own, from an earlier try or by another process: that is looked for first.
    else if (unit.phase === 'unsure' || (unit.phase === 'fresh' && unit.keyed)) leased.push(leaseNext(unit))
    else unit.settle(refusedBy(registry, constraint))
  }
  const again = await inOrder(
    alone.map(unit => [unit]),
    attempt,
  )
  return both(again, { ...ALL_SETTLED, units: leased })
}

const leaseNext = (unit: Pending): Pending => {
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
 * After a database in trouble: those with patience left go round again, the others fail as
 * Unavailable. Undefined when the error is no trouble of the database's, but of a command.
 */
export const tryLater = (units: readonly Pending[], error: unknown): Again | undefined => {
  return judgeError(error) === 'final' ? undefined : patiently(units, error, 200)
}

/** Those with patience left go round again, the others fail. */
export const patiently = (units: readonly Pending[], error: unknown, aboutMs: number): Again => {
  const now = performance.now()
  for (const unit of units) if (now >= unit.deadline) unit.fail(new Unavailable(error))
  return { ...ALL_SETTLED, units: units.filter(unit => now < unit.deadline), pauseMs: jitter(aboutMs) }
}

/** One of them cannot be committed: halves, in order, down to the one. */
export const isolate = async (
  registry: Registry,
  units: readonly Pending[],
  error: unknown,
  attempt: Attempt,
): Promise<Again> => {
  const [only] = units
  const command = only?.commands[0]
  if (only && command && units.length === 1) {
    // postgres.js may reject a statement with the error of an earlier one whose connection was cut.
    if (only.phase !== 'leased') return { ...ALL_SETTLED, units: [leaseNext(only)] }
    const constraint = constraintOf(error)
    if (constraint && registry.refusalOf(constraint)) only.settle(refusedBy(registry, constraint))
    else only.fail(new CommandFault(command, error))
    return ALL_SETTLED
  }
  return inOrder(halves(units), attempt)
}

/** What is done when a statement waited too long for a lock: those that met it are set aside, the others go on. */
export const aroundLocks = async (
  units: readonly Pending[],
  error: unknown,
  find: () => Promise<ReadonlySet<string>>,
  attempt: Attempt,
  isRetry: boolean,
): Promise<Again> => {
  let actors: ReadonlySet<string>
  try {
    actors = await find()
  } catch {
    // A whole table is locked, or the database is away.
    return patiently(units, error, 200)
  }
  const isLocked = (unit: Pending) => unit.commands.some(({ actor }) => actors.has(actor))
  const { aside, others } = setAside(units, isLocked)
  if (aside.length > 0) {
    const again = others.length === 0 ? ALL_SETTLED : await attempt(others)
    const locked = aside.filter(isLocked).map(unit => ({ unit, actors }))
    return both(again, { pauseMs: 0, locked, units: aside.filter(unit => !isLocked(unit)) })
  }
  // The lock is gone, or it is not on an actor's row.
  if (!isRetry) return attempt(units)
  const [only] = units
  if (only && units.length === 1) return { ...ALL_SETTLED, locked: [{ unit: only, actors: actorsOf(only) }] }
  return inOrder(halves(units), attempt)
}

const actorsOf = ({ commands }: Pending): ReadonlySet<string> => new Set(commands.map(({ actor }) => actor))

const halves = (units: readonly Pending[]): [readonly Pending[], readonly Pending[]] => {
  const middle = Math.ceil(units.length / 2)
  return [units.slice(0, middle), units.slice(middle)]
}

/** Some are set aside, and those behind them that want the same actors: an actor's commands keep their order. */
export const setAside = (units: readonly Pending[], isAside: (unit: Pending) => boolean) => {
  const wanted = new Set<string>()
  const aside: Pending[] = []
  const others: Pending[] = []
  for (const unit of units) {
    if (isAside(unit) || unit.commands.some(({ actor }) => wanted.has(actor))) {
      aside.push(unit)
      for (const { actor } of unit.commands) wanted.add(actor)
    } else others.push(unit)
  }
  return { aside, others }
}

/** One part after the other; what wants the actors of a unit that must go round again waits behind it. */
export const inOrder = async (
  parts: readonly (readonly Pending[])[],
  attempt: (units: readonly Pending[], part: number) => Promise<Again>,
): Promise<Again> => {
  let again = ALL_SETTLED
  const waiting = new Set<string>()
  for (const [n, part] of parts.entries()) {
    const behind = part.filter(unit => {
      const waits = unit.commands.some(({ actor }) => waiting.has(actor))
      if (waits) for (const { actor } of unit.commands) waiting.add(actor)
      return waits
    })
    const answer = await attempt(behind.length === 0 ? part : part.filter(unit => !behind.includes(unit)), n)
    const left = [...answer.units, ...answer.locked.map(({ unit }) => unit)]
    for (const unit of left) for (const { actor } of unit.commands) waiting.add(actor)
    again = both(again, both(answer, { ...ALL_SETTLED, units: behind }))
  }
  return again
}

export const jitter = (ms: number): number => ms / 2 + Math.random() * ms
