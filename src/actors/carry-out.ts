import { uuidv7 } from '../ids.ts'
import type { Outside } from '../world.ts'
import { commitBatch, type Duplicate } from './commit.ts'
import { decider, type Verdict } from './decide.ts'
import type { Pending } from './dispatcher.ts'
import { leaseActors, releaseActors } from './lease.ts'
import { headKey, readActors } from './read.ts'
import type { Registry } from './registry.ts'
import { type Again, both, isolate, jitter, nobody, tryLater, withoutDuplicates } from './trouble.ts'

/** Conflicts after which a command stops competing and takes its actors for itself. */
const ROUNDS_BEFORE_LEASE = 3

/** What a round is carried out with; `lease` is the holder's name when the actors have been leased for it. */
type Round = {
  readonly outside: Outside
  readonly registry: Registry
  readonly lease: string | null
  readonly published: (() => void) | undefined
}

/**
 * Carries units through read, decide and commit until each is settled or must go round again.
 * One bad unit never fails the others. `published` is told of each commit that tells the outside something.
 */
export const carryOut = async (
  outside: Outside,
  registry: Registry,
  units: readonly Pending[],
  published?: () => void,
): Promise<Again> => {
  const { unlucky, others } = findUnlucky(units)
  const round = { outside, registry, lease: null, published }
  const again = await attempt(round, others)
  return unlucky.length === 0 ? again : both(again, await attemptLeased(round, unlucky))
}

/** Those that keep losing, and those behind them that want the same actors. */
const findUnlucky = (units: readonly Pending[]) => {
  const wanted = new Set<string>()
  const unlucky: Pending[] = []
  const others: Pending[] = []
  for (const unit of units) {
    if (unit.conflicts >= ROUNDS_BEFORE_LEASE || unit.commands.some(({ actor }) => wanted.has(actor))) {
      unlucky.push(unit)
      for (const { actor } of unit.commands) wanted.add(actor)
    } else others.push(unit)
  }
  return { unlucky, others }
}

const attempt = async (round: Round, units: readonly Pending[]): Promise<Again> => {
  if (units.length === 0) return nobody
  try {
    const reads = await inTime(units, readActors(round.outside.sql, round.registry, units.map(askingOf)))
    return await decideAndCommit(round, units, reads)
  } catch (error) {
    return tryLater(units, error) ?? isolate(round.registry, units, error, some => attempt(round, some))
  }
}

const askingOf = ({ commands, keyed, unsure }: Pending) => ({
  commands,
  seek: unsure ? ('all' as const) : keyed ? ('keyed' as const) : ('none' as const),
})

const attemptLeased = async (round: Round, units: readonly Pending[]): Promise<Again> => {
  const { outside, registry } = round
  const lease = uuidv7(outside.clock.now(), outside.random)
  const commands = units.flatMap(unit => unit.commands)
  try {
    await inTime(units, leaseActors(outside, registry, commands, lease))
    const reads = await inTime(units, readActors(outside.sql, registry, units.map(askingOf)))
    const isHeld = (unit: Pending) =>
      unit.commands.every(command => (reads.get(headKey(command))?.row.lease ?? lease) === lease)
    const held = units.filter(isHeld)
    const again = await attempt({ ...round, lease }, held)
    // Somebody else has the rest, for two seconds at most.
    return both(again, { units: units.filter(unit => !held.includes(unit)), pauseMs: jitter(20) })
  } catch (error) {
    // Nothing but the lease and the look at it can have failed: the rest answers for itself.
    return tryLater(units, error) ?? { units, pauseMs: jitter(20) }
  } finally {
    // By now everybody has been told. A lease that is not given back ends by itself.
    await inTime(units, releaseActors(outside, registry, commands, lease)).catch(error =>
      outside.log.warn({ err: error }, 'cannot give back a lease'),
    )
  }
}

const decideAndCommit = async (
  round: Round,
  units: readonly Pending[],
  reads: Awaited<ReturnType<typeof readActors>>,
): Promise<Again> => {
  const { outside, registry, lease, published } = round
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
    ? await inTime(units, commitBatch(outside.sql, outside.clock, registry, { decided, heads, at, lease }))
    : { conflicted: new Set<Pending>(), duplicated: new Map<Pending, Duplicate>() }
  if (answer.duplicated.size > 0) {
    return withoutDuplicates(registry, units, answer.duplicated, some => attempt(round, some))
  }
  if (published && decided.some(({ steps }) => steps.some(step => step.published.length > 0))) published()
  for (const { unit, verdict } of decided) if (!answer.conflicted.has(unit)) settle(unit, verdict)
  return afterConflict([...answer.conflicted])
}

const settle = (unit: Pending, verdict: Verdict): void => {
  if (verdict.verdict === 'fault') unit.fail(verdict.error)
  else if (verdict.verdict === 'refused') unit.settle(verdict.refused)
  else unit.settle({ ok: true, done: verdict.done })
}

const afterConflict = (units: readonly Pending[]): Again => {
  if (units.length === 0) return nobody
  for (const unit of units) unit.conflicts++
  // Whoever won writes again soon; a moment's wait lets it finish.
  return { units, pauseMs: jitter(2) }
}

/**
 * A path that is broken without a reset answers nothing, for ever. Past the last deadline nobody waits
 * any more, and whether the statement was carried out is as unknown as after a lost connection.
 */
const inTime = <T>(units: readonly Pending[], asked: Promise<T>): Promise<T> => {
  const deadline = units.reduce((latest, unit) => Math.max(latest, unit.deadline), 0)
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(
    () => reject(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
    Math.max(deadline - performance.now(), 50),
  )
  asked.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}
