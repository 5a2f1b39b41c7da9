import { uuidv7 } from '../ids.ts'
import type { Outside } from '../world.ts'
import type { Command } from './command.ts'
import { commitBatch, type Duplicate } from './commit.ts'
import { decider, type Head, type Looks, type Verdict } from './decide.ts'
import type { Pending } from './dispatcher.ts'
import { leaseActors, releaseActors } from './lease.ts'
import type { Known, Memory, Recalled } from './memory.ts'
import { type Asking, headKey, readActors } from './read.ts'
import type { Registry } from './registry.ts'
import { type Again, both, isolate, jitter, nobody, tryLater, withoutDuplicates } from './trouble.ts'

/** Conflicts after which a command stops competing and takes its actors for itself. */
const ROUNDS_BEFORE_LEASE = 3

/** What a round is carried out with; `lease` is the holder's name when the actors have been leased for it. */
type Round = Means & { readonly lease: string | null }

type Means = {
  readonly outside: Outside
  readonly registry: Registry
  readonly memory: Memory
  /** Told of each commit that tells the outside something. */
  readonly published: (() => void) | undefined
}

/**
 * Carries units through read, decide and commit until each is settled or must go round again.
 * One bad unit never fails the others.
 */
export const carryOut = async (means: Means, units: readonly Pending[]): Promise<Again> => {
  const { unlucky, others } = findUnlucky(units)
  const round = { ...means, lease: null }
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
  const { outside, registry, memory } = round
  try {
    const recalled = recall(round, units)
    const askings = units.map(unit => askingOf(unit, recalled))
    const reads = await inTime(units, readActors(outside.sql, registry, askings))
    return await decideAndCommit(round, units, { reads, recalled })
  } catch (error) {
    const again = tryLater(units, error)
    if (!again) return isolate(registry, units, error, some => attempt(round, some))
    memory.forgetAll()
    return again
  }
}

/** Who has leased its actors has changed their rows by that, and reads them. */
const recall = ({ memory, lease }: Round, units: readonly Pending[]): Recalled => {
  const recalled = new Map<string, Known>()
  if (lease !== null) return recalled
  for (const unit of units) {
    for (const command of unit.commands) {
      if (!mayRecall(unit, command)) continue
      const key = headKey(command)
      const known = memory.recall(command.kind, key)
      if (known) recalled.set(key, known)
    }
  }
  return recalled
}

/** A timer is asked for with its actor. That a command was taken before need not: history takes none twice. */
const mayRecall = ({ unsure, doubted }: Pending, command: Command): boolean => !unsure && !doubted && 'event' in command

const askingOf = (unit: Pending, recalled: Recalled): Asking => {
  const { commands, keyed, unsure } = unit
  const seek = unsure ? 'all' : keyed ? 'keyed' : 'none'
  if (recalled.size === 0) return { commands, seek }
  return { commands: commands.filter(command => !mayRecall(unit, command) || !recalled.has(headKey(command))), seek }
}

const attemptLeased = async (round: Round, units: readonly Pending[]): Promise<Again> => {
  const { outside, registry } = round
  const lease = uuidv7(outside.clock.now(), outside.random)
  const commands = units.flatMap(unit => unit.commands)
  try {
    await inTime(units, leaseActors(outside, registry, commands, lease))
    const askings = units.map(unit => askingOf(unit, NOTHING))
    const reads = await inTime(units, readActors(outside.sql, registry, askings))
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

const NOTHING: Recalled = new Map()

const decideAndCommit = async (round: Round, units: readonly Pending[], looks: Looks): Promise<Again> => {
  const { outside, registry, memory, lease, published } = round
  const at = outside.clock.now()
  const { decide, heads } = decider(registry, looks, at, outside.random)
  // A refusal or a fault may rest on what an earlier unit of the batch is about to leave, so nobody
  // is told anything before the commit.
  const decided = units.map(unit => {
    const verdict = decide(unit)
    const steps = verdict.verdict === 'decided' ? verdict.steps : []
    return { unit, steps, verdict }
  })
  const answer = decided.some(({ steps }) => steps.length > 0)
    ? await inTime(units, commitBatch(outside.sql, outside.clock, registry, { decided, heads, at, lease }))
    : { xid: '', conflicted: new Set<Pending>(), duplicated: new Map<Pending, Duplicate>() }
  if (answer.duplicated.size > 0) {
    return withoutDuplicates(registry, units, answer.duplicated, some => attempt(round, some))
  }
  if (published && decided.some(({ steps }) => steps.some(step => step.published.length > 0))) published()
  const { conflicted, xid } = answer
  remember(memory, looks, heads, conflicted, xid)
  // Nobody is refused by what was: no commit has found that it still is.
  const doubted: Pending[] = []
  for (const { unit, verdict } of decided) {
    if (conflicted.has(unit)) continue
    if (verdict.verdict !== 'decided' && recalledOf(looks, unit).length > 0) doubted.push(unit)
    else settle(unit, verdict)
  }
  for (const unit of doubted) unit.doubted = true
  return both(afterConflict([...conflicted]), { units: doubted, pauseMs: 0 })
}

/** What a commit has left, but for those that were not as they were decided on. */
const remember = (
  memory: Memory,
  looks: Looks,
  heads: ReadonlyMap<string, Head>,
  conflicted: ReadonlySet<Pending>,
  xid: string,
): void => {
  const moved = new Set<string>()
  for (const unit of conflicted) {
    for (const command of unit.commands) moved.add(headKey(command))
    for (const { kind, key } of recalledOf(looks, unit)) memory.wasWrong(kind, key)
  }
  for (const [key, { actor }] of heads) if (!moved.has(key)) memory.keep(key, { actor, xid })
}

/** Those of its actors that were not read. */
const recalledOf = ({ reads, recalled }: Looks, { commands }: Pending) =>
  commands
    .map(command => ({ kind: command.kind, key: headKey(command) }))
    .filter(({ key }) => recalled.has(key) && !reads.has(key))

const settle = (unit: Pending, verdict: Verdict): void => {
  if (verdict.verdict === 'fault') unit.fail(verdict.error)
  else if (verdict.verdict === 'refused') unit.settle(verdict.refused)
  else unit.settle({ ok: true, done: verdict.done })
}

const afterConflict = (units: readonly Pending[]): Again => {
  if (units.length === 0) return nobody
  for (const unit of units) {
    unit.conflicts++
    unit.doubted = true
  }
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
