import { uuidv7 } from '../ids.ts'
import type { Outside } from '../outside.ts'
import type { Pending } from './batch.ts'
import { carryOut } from './carry-out.ts'
import { type Carried, type Command, keyOf, LockedOut, Unavailable } from './command.ts'
import { LATE_MS, openLanes } from './lanes.ts'
import { findLocked } from './locked.ts'
import { openLockedUnits } from './locked-units.ts'
import { openLockouts } from './lockouts.ts'
import type { Registry } from './registry.ts'
import { type Again, ALL_SETTLED } from './trouble.ts'

export type DispatcherOptions = {
  /** Batches under way at once, at most. One decides while the others commit. */
  readonly lanes?: number
  readonly batchSize?: number
  /** How long a command waits for a database in trouble before it fails as Unavailable. */
  readonly patienceMs?: number
  /** Beyond so many a command fails as Unavailable at once: who waits longer than its caller is of no use. */
  readonly mostWaiting?: number
  /** Told of each commit that tells the outside something. */
  readonly published?: () => void
}

/**
 * Batches form by themselves: a command goes at once when a lane is free, and while the lanes are
 * busy the next ones queue and share the next commit. An actor is never in two batches at once,
 * and commands for it keep their order.
 */
export const openDispatcher = (
  outside: Outside,
  registry: Registry,
  { lanes: most = 4, batchSize = 512, patienceMs = 10_000, mostWaiting = 50_000, published }: DispatcherOptions = {},
) => {
  const means = { outside, registry, published }
  const lockouts = openLockouts(outside)
  let queue: Pending[] = []
  /** How many commands under way hold an actor: a locked unit and those parked behind it may hold the same one. */
  const busy = new Map<string, number>()
  const lanes = openLanes({ most, batchSize })
  /** How many were seen to wait for actors that are under way. */
  let waitingForActors = 0
  let parked = 0
  let scheduled = false
  let pumpsLater = false
  let drained: (() => void)[] = []

  const enqueue = (
    commands: readonly Command[],
    { settle, fail, waitsForLocks }: Pick<Pending, 'settle' | 'fail' | 'waitsForLocks'>,
  ): void => {
    const keyed = commands[0]?.id !== undefined
    if (commands.some(({ id }) => (id !== undefined) !== keyed)) {
      fail(
        new TypeError('cannot dispatch a bundle of which only some have ids: sent again, the rest would be done twice'),
      )
      return
    }
    if (queue.length >= mostWaiting) {
      fail(new Unavailable(new Error(`${queue.length} commands are waiting`)))
      return
    }
    queue.push({
      commands: commands.map(identify),
      keyed,
      settle,
      fail,
      waitsForLocks,
      deadline: performance.now() + patienceMs,
      conflicts: 0,
      phase: 'fresh',
    })
    schedule()
  }

  // In the spelling that the database answers with.
  const identify = (command: Command): Carried => {
    const actor = command.actor.toLowerCase()
    const id = command.id?.toLowerCase() ?? uuidv7(outside.clock.now(), outside.random)
    return { ...command, actor, id, key: keyOf(command.kind, actor) }
  }

  // Whoever was answered by the last commit dispatches its next command in this turn of the event
  // loop: wait for its end, so that they all share one batch.
  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      pump()
      wakeIdle()
    })
  }

  const pump = (): void => {
    while (lanes.mayOpen(queue.length)) {
      const units = takeBatch(lanes.share(queue.length, waitingForActors))
      if (units.length === 0) break
      carry(units)
    }
    if (queue.length > 0) pumpLater()
  }

  /** What waits for a batch does not wait for one that has become late. */
  const pumpLater = (): void => {
    if (pumpsLater) return
    pumpsLater = true
    setTimeout(() => {
      pumpsLater = false
      pump()
    }, LATE_MS)
  }

  const carry = (units: readonly Pending[]): void => {
    const lane = lanes.enter(units.length)
    void carryOut(means, units)
      .catch((error): Again => {
        for (const unit of units) unit.fail(error)
        return ALL_SETTLED
      })
      .then(again => {
        lanes.leave(lane)
        if (again.units.length + again.locked.length > 0) park(units, again)
        else leave(units)
      })
  }

  /** Those that go round again keep their actors meanwhile, so that later commands do not overtake them; the lane is free. */
  const park = (units: readonly Pending[], again: Again): void => {
    const locked = new Map(again.locked.map(({ unit, actors }) => [unit, actors]))
    const rounds = new Set(again.units)
    lockouts.met([...locked.keys()], new Set([...locked.values()].flatMap(actors => [...actors])))
    const settled: Pending[] = []
    const waiting: Pending[] = []
    const taken = new Set<string>()
    for (const unit of units) {
      const actors = locked.get(unit)
      if (actors && !unit.waitsForLocks) unit.fail(new LockedOut())
      if (actors ? !unit.waitsForLocks : !rounds.has(unit)) {
        settled.push(unit)
        continue
      }
      // Of an actor's units only the first is retried alone: the others wait behind it, and share a batch after it.
      if (actors && !unit.commands.some(({ actor }) => taken.has(actor))) lockedUnits.hold(unit)
      else waiting.push(unit)
      for (const { actor } of unit.commands) taken.add(actor)
    }
    leave(settled)
    if (waiting.length === 0) return
    parked++
    setTimeout(() => {
      parked--
      queue = waiting.concat(queue)
      leave(waiting)
    }, again.pauseMs)
  }

  const lockedUnits = openLockedUnits({
    lockouts,
    retry: async unit => {
      const actors = await findLocked(outside.sql, registry, [unit])
      return actors.size > 0 ? { ...ALL_SETTLED, locked: [{ unit, actors }] } : carryOut(means, [unit])
    },
    release: unit => leave([unit]),
  })

  const occupy = (units: readonly Pending[]): void => {
    for (const { commands } of units) for (const { actor } of commands) busy.set(actor, (busy.get(actor) ?? 0) + 1)
  }

  const leave = (units: readonly Pending[]): void => {
    for (const { commands } of units) {
      for (const { actor } of commands) {
        const others = (busy.get(actor) ?? 1) - 1
        if (others === 0) busy.delete(actor)
        else busy.set(actor, others)
      }
    }
    schedule()
  }

  /** The next units in order, leaving those whose actors are under way and those behind them. */
  const takeBatch = (most: number): Pending[] => {
    const units: Pending[] = []
    const blocked = new Set<string>()
    const taken = new Set<string>()
    const left: Pending[] = []
    let at = 0
    for (; at < queue.length && units.length < most; at++) {
      const unit = queue[at]
      if (!unit) break
      const isLocked = lockouts.has(unit)
      if (isLocked && !unit.waitsForLocks && lockouts.waitMs(unit) > 0) unit.fail(new LockedOut())
      else if (
        unit.commands.some(({ actor }) => busy.has(actor) || blocked.has(actor) || (isLocked && taken.has(actor)))
      ) {
        for (const { actor } of unit.commands) blocked.add(actor)
        left.push(unit)
      } else if (isLocked) {
        occupy([unit])
        lockedUnits.hold(unit)
      } else {
        for (const { actor } of unit.commands) taken.add(actor)
        units.push(unit)
      }
    }
    waitingForActors = left.length
    queue = left.concat(queue.slice(at))
    occupy(units)
    return units
  }

  // Whoever was told in this turn may dispatch in it.
  const isIdle = (): boolean =>
    lanes.areFree() && parked === 0 && lockedUnits.areNone() && queue.length === 0 && !scheduled

  const wakeIdle = (): void => {
    if (!isIdle()) return
    for (const wake of drained) wake()
    drained = []
  }

  /** Resolves when nothing is queued or under way. */
  const idle = (): Promise<void> => (isIdle() ? Promise.resolve() : new Promise(wake => drained.push(wake)))

  return { enqueue, idle, longestLockWait: lockouts.longest }
}
