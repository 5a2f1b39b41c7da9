import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from '../ids.ts'
import type { Outside } from '../world.ts'
import { CommandFault, type Refused, Unavailable } from './command.ts'
import { commitBatch, type Duplicate } from './commit.ts'
import { decider, type Verdict } from './decide.ts'
import type { Pending } from './dispatcher.ts'
import { leaseActors, releaseActors } from './lease.ts'
import { constraintOf, judgeError } from './postgres-errors.ts'
import { type Read, readActors } from './read.ts'
import type { Registry } from './registry.ts'

/** Conflicts after which a command stops competing and takes its actors for itself. */
const ROUNDS_BEFORE_LEASE = 3

/**
 * Carries units through read, decide and commit until each is settled or must go round again;
 * answers those that must. One bad unit never fails the others.
 */
export const carryOut = async (outside: Outside, registry: Registry, units: readonly Pending[]): Promise<Pending[]> => {
  const unlucky = units.filter(unit => unit.conflicts >= ROUNDS_BEFORE_LEASE)
  const again = await attempt(
    outside,
    registry,
    units.filter(unit => unit.conflicts < ROUNDS_BEFORE_LEASE),
  )
  for (const unit of unlucky) again.push(...(await attemptLeased(outside, registry, unit)))
  return again
}

type Commit<U> = {
  readonly units: readonly U[]
  readonly reads: ReadonlyMap<string, Read>
  readonly lease: string | null
}

const attempt = async (outside: Outside, registry: Registry, units: readonly Pending[]): Promise<Pending[]> => {
  if (units.length === 0) return []
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

const attemptLeased = async (outside: Outside, registry: Registry, unit: Pending): Promise<Pending[]> => {
  const holder = uuidv7(outside.clock.now(), outside.random)
  try {
    await leaseActors(outside, registry, unit.commands, holder)
    const reads = await readActors(outside.sql, registry, [askingOf(unit)])
    const held = [...reads.values()].every(({ row }) => row.lease === holder)
    const again = held ? await decideAndCommit(outside, registry, { units: [unit], reads, lease: holder }) : [unit]
    await releaseActors(outside, registry, unit.commands, holder)
    // Somebody else has them, for two seconds at most.
    if (!held) await sleep(jitter(20))
    return again
  } catch (error) {
    return recover(outside, registry, [unit], error)
  }
}

const decideAndCommit = async (
  outside: Outside,
  registry: Registry,
  { units, reads, lease }: Commit<Pending>,
): Promise<Pending[]> => {
  const at = outside.clock.now()
  const { decide, heads } = decider(registry, reads, at, outside.random)
  // A refusal or a fault may rest on what an earlier unit of the batch is about to leave, so nobody
  // is told anything before the commit.
  const decided = units.map(unit => {
    const verdict = decide(unit)
    const steps = verdict.verdict === 'decided' ? verdict.steps : []
    return { unit, steps, verdict }
  })
  if (decided.some(({ steps }) => steps.length > 0)) {
    const answer = await commitBatch(outside.sql, outside.clock, registry, { decided, heads, at, lease })
    if (answer.duplicated.size > 0) return withoutDuplicates(outside, registry, units, answer.duplicated)
    for (const { unit, verdict } of decided) if (!answer.conflicted.has(unit)) settle(unit, verdict)
    for (const unit of answer.conflicted) unit.conflicts++
    // Whoever won writes again soon; a moment's wait lets it finish.
    if (answer.conflicted.size > 0) await sleep(jitter(2))
    return [...answer.conflicted]
  }
  for (const { unit, verdict } of decided) settle(unit, verdict)
  return []
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
): Promise<Pending[]> => {
  const others = units.filter(unit => !duplicated.has(unit))
  const again = await attempt(outside, registry, others)
  if (others.length > 0) return [...again, ...(await attempt(outside, registry, [...duplicated.keys()]))]
  for (const [unit, { constraint, alone }] of duplicated) {
    if (alone) unit.settle(refusedBy(registry, constraint))
    else again.push(...(await attempt(outside, registry, [unit])))
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
): Promise<Pending[]> => {
  const judged = judgeError(error)
  if (judged === 'final') return isolate(outside, registry, units, error)
  const patient = units.filter(unit => performance.now() < unit.deadline)
  for (const unit of units) {
    if (judged === 'lost') unit.unsure = true
    if (!patient.includes(unit)) unit.fail(new Unavailable(error))
  }
  if (patient.length > 0) await sleep(jitter(200))
  return patient
}

/** One of them cannot be committed: halves, in order, down to the one. */
const isolate = async (
  outside: Outside,
  registry: Registry,
  units: readonly Pending[],
  error: unknown,
): Promise<Pending[]> => {
  const [only] = units
  const command = only?.commands[0]
  if (only && command && units.length === 1) {
    const constraint = constraintOf(error)
    if (constraint && registry.refusalOf(constraint)) only.settle(refusedBy(registry, constraint))
    else only.fail(new CommandFault(command, error))
    return []
  }
  const middle = Math.ceil(units.length / 2)
  const first = await attempt(outside, registry, units.slice(0, middle))
  const second = await attempt(outside, registry, units.slice(middle))
  return [...first, ...second]
}

const jitter = (ms: number): number => ms / 2 + Math.random() * ms
