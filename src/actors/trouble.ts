import { constraintOf, judgeError } from '../postgres/errors.ts'
import { CommandFault, type Refused, Unavailable } from './command.ts'
import type { Duplicate } from './commit.ts'
import type { Pending } from './dispatcher.ts'
import type { Registry } from './registry.ts'

/** Units that must go round again, and after how long. */
export type Again = { readonly units: readonly Pending[]; readonly pauseMs: number }

export const nobody: Again = { units: [], pauseMs: 0 }

export const both = (a: Again, b: Again): Again => ({
  units: [...a.units, ...b.units],
  pauseMs: Math.max(a.pauseMs, b.pauseMs),
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
  for (const [unit, { constraint, certain }] of duplicated) {
    if (!certain && units.length > 1) alone.push(unit)
    // The row may be the unit's own, from an earlier try or by another process: look for that first.
    else if ((unit.keyed || unit.unsure) && !unit.sought) {
      unit.sought = true
      unit.unsure = true
      alone.push(unit)
    } else unit.settle(refusedBy(registry, constraint))
  }
  return inOrder(
    alone.map(unit => [unit]),
    attempt,
  )
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
  return { units: units.filter(unit => now < unit.deadline), pauseMs: jitter(aboutMs) }
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
    if (!only.failed) {
      // postgres.js may reject a statement with the error of an earlier one whose connection was cut. Once
      // more, then, and first look for what this one may have done.
      only.failed = true
      return attempt(units)
    }
    const constraint = constraintOf(error)
    if (constraint && registry.refusalOf(constraint)) only.settle(refusedBy(registry, constraint))
    else only.fail(new CommandFault(command, error))
    return nobody
  }
  const middle = Math.ceil(units.length / 2)
  return inOrder([units.slice(0, middle), units.slice(middle)], attempt)
}

/** One part after the other; what wants the actors of a unit that must go round again waits behind it. */
const inOrder = async (parts: readonly (readonly Pending[])[], attempt: Attempt): Promise<Again> => {
  let again = nobody
  const waiting = new Set<string>()
  for (const part of parts) {
    const behind = part.filter(unit => {
      const waits = unit.commands.some(({ actor }) => waiting.has(actor))
      if (waits) for (const { actor } of unit.commands) waiting.add(actor)
      return waits
    })
    const answer = await attempt(behind.length === 0 ? part : part.filter(unit => !behind.includes(unit)))
    for (const { commands } of answer.units) for (const { actor } of commands) waiting.add(actor)
    again = both(again, both(answer, { units: behind, pauseMs: 0 }))
  }
  return again
}

export const jitter = (ms: number): number => ms / 2 + Math.random() * ms
