import { uuidv7 } from '../ids.ts'
import type { Outside } from '../world.ts'
import { CommandFault, type Refused, Unavailable } from './command.ts'
import { commitBatch, type Duplicate } from './commit.ts'
import { decider, type Verdict } from './decide.ts'
import type { Pending } from './dispatcher.ts'
import { leaseActors, releaseActors } from './lease.ts'
import { constraintOf, judgeError } from './postgres-errors.ts'
import { headKey, type Read, readActors } from './read.ts'
import type { Registry } from './registry.ts'

/** Conflicts after which a command stops competing and takes its actors for itself. */
const ROUNDS_BEFORE_LEASE = 3

/** Units that must go round again, and after how long. */
export type Again = { readonly units: readonly Pending[]; readonly pauseMs: number }

const nobody: Again = { units: [], pauseMs: 0 }

const both = (a: Again, b: Again): Again => ({
  units: [...a.units, ...b.units],
  pauseMs: Math.max(a.pauseMs, b.pauseMs),
})

/**
 * Carries units through read, decide and commit until each is settled or must go round again.
 * One bad unit never fails the others.
 */
export const carryOut = async (outside: Outside, registry: Registry, units: readonly Pending[]): Promise<Again> => {
  const unlucky = units.filter(({ conflicts }) => conflicts >= ROUNDS_BEFORE_LEASE)
  const others = unlucky.length === 0 ? units : units.filter(({ conflicts }) => conflicts < ROUNDS_BEFORE_LEASE)
  return both(await attempt(outside, registry, others), await attemptLeased(outside, registry, unlucky))
}

type Commit = {
  readonly units: readonly Pending[]
  readonly reads: ReadonlyMap<string, Read>
  readonly lease: string | null
}

const attempt = async (outside: Outside, registry: Registry, units: readonly Pending[]): Promise<Again> => {
  if (units.length === 0) return nobody
  try {
    const reads = await readActors(outside.sql, registry, units.map(askingOf))
    return await decideAndCommit(outside, registry, { units, reads, lease: null })
  } catch (error) {
    return recover(outside, registry, units, error)
  }
}

const askingOf = ({ commands, keyed, unsure }: Pending) => ({
  commands,
  seek: unsure ? ('all' as const) : keyed.includes(true) ? ('keyed' as const) : ('none' as const),
})

const attemptLeased = async (outside: Outside, registry: Registry, units: readonly Pending[]): Promise<Again> => {
  if (units.length === 0) return nobody
  const holder = uuidv7(outside.clock.now(), outside.random)
  const commands = units.flatMap(unit => unit.commands)
  try {
    await leaseActors(outside, registry, commands, holder)
    const reads = await readActors(outside.sql, registry, units.map(askingOf))
    const isHeld = ({ commands }: Pending) =>
      commands.every(command => (reads.get(headKey(command))?.row.lease ?? holder) === holder)
    const held = units.filter(isHeld)
    const again = await decideAndCommit(outside, registry, { units: held, reads, lease: holder })
    await releaseActors(outside, registry, commands, holder)
    // Somebody else has the rest, for two seconds at most.
    return both(again, { units: units.filter(unit => !isHeld(unit)), pauseMs: jitter(20) })
  } catch (error) {
    return recover(outside, registry, units, error)
  }
}

const decideAndCommit = async (
  outside: Outside,
  registry: Registry,
  { units, reads, lease }: Commit,
): Promise<Again> => {
  const at = outside.clock.now()
  const { decide, heads } = decider(registry, reads, at, outside.random)
  // A refusal or a fault may rest on what an earlier unit of the batch is about to leave, so nobody
  // is told anything before the commit.
  const decided = units.map(unit => {
    const verdict = decide(unit)
    const steps = verdict.verdict === 'decided' ? verdict.steps : []
    return { unit, steps, verdict }
  })
  const answer = decided.some(({ steps }) => steps.length > 0)
    ? await commitBatch(outside.sql, outside.clock, registry, { decided, heads, at, lease })
    : { conflicted: new Set<Pending>(), duplicated: new Map<Pending, Duplicate>() }
  if (answer.duplicated.size > 0) return withoutDuplicates(outside, registry, units, answer.duplicated)
  for (const { unit, verdict } of decided) if (!answer.conflicted.has(unit)) settle(unit, verdict)
  for (const unit of answer.conflicted) unit.conflicts++
  // Whoever won writes again soon; a moment's wait lets it finish.
  return { units: [...answer.conflicted], pauseMs: answer.conflicted.size > 0 ? jitter(2) : 0 }
}

const settle = (unit: Pending, verdict: Verdict): void => {
  if (verdict.verdict === 'fault') unit.fail(verdict.error)
  else if (verdict.verdict === 'refused') unit.settle(verdict.refused)
  else unit.settle({ ok: true, done: verdict.done })
}

/**
 * Nothing was committed, because rows that some units would insert are already there. The others
 * go first: they may hold the very rows. What then still meets a row of its own is refused for good.
 */
const withoutDuplicates = async (
  outside: Outside,
  registry: Registry,
  units: readonly Pending[],
  duplicated: ReadonlyMap<Pending, Duplicate>,
): Promise<Again> => {
  const others = units.filter(unit => !duplicated.has(unit))
  let again = await attempt(outside, registry, others)
  if (others.length > 0) return both(again, await attempt(outside, registry, [...duplicated.keys()]))
  for (const [unit, { constraint, alone }] of duplicated) {
    if (alone) unit.settle(refusedBy(registry, constraint))
    else again = both(again, await attempt(outside, registry, [unit]))
  }
  return again
}

const refusedBy = (registry: Registry, constraint: string): Refused => ({
  ok: false,
  refusal: registry.refusalOf(constraint) ?? 'exists',
  constraint,
  index: 0,
  possible: [],
})

/** After an error nothing is known to be committed, and what is done next depends on what kind it was. */
const recover = async (
  outside: Outside,
  registry: Registry,
  units: readonly Pending[],
  error: unknown,
): Promise<Again> => {
  const judged = judgeError(error)
  if (judged === 'final') return isolate(outside, registry, units, error)
  const patient = units.filter(unit => performance.now() < unit.deadline)
  for (const unit of units) {
    if (judged === 'lost') unit.unsure = true
    if (!patient.includes(unit)) unit.fail(new Unavailable(error))
  }
  return { units: patient, pauseMs: jitter(200) }
}

/** One of them cannot be committed: halves, in order, down to the one. */
const isolate = async (
  outside: Outside,
  registry: Registry,
  units: readonly Pending[],
  error: unknown,
): Promise<Again> => {
  const [only] = units
  const command = only?.commands[0]
  if (only && command && units.length === 1) {
    const constraint = constraintOf(error)
    if (constraint && registry.refusalOf(constraint)) only.settle(refusedBy(registry, constraint))
    else only.fail(new CommandFault(command, error))
    return nobody
  }
  const middle = Math.ceil(units.length / 2)
  const first = await attempt(outside, registry, units.slice(0, middle))
  const second = await attempt(outside, registry, units.slice(middle))
  return both(first, second)
}

const jitter = (ms: number): number => ms / 2 + Math.random() * ms
