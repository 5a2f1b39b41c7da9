import type { Dependencies } from '../dependencies.ts'
import { uuidv7 } from '../ids.ts'
import type { PendingUnit } from './batch.ts'
import { type Command, type IdentifiedCommand, keyOf, LockedOut, Unavailable } from './command.ts'
import { executeBatch } from './execute.ts'
import { ALL_SETTLED, type Unfinished } from './failures.ts'
import { findLocked } from './find-locked.ts'
import { LATE_MS, openLanes } from './lanes.ts'
import { openLockedActors } from './locked-actors.ts'
import { openLockedUnits } from './locked-units.ts'
import type { Registry } from './registry.ts'

export type DispatcherOptions = {
  /** Maximum number of batches under way. One is decided while the others are committed. */
  readonly lanes?: number
  readonly batchSize?: number
  /** How long a command is retried after database errors before it fails with Unavailable. */
  readonly retryForMs?: number
  /** If this many commands are queued, further ones fail with Unavailable: their callers would time out first. */
  readonly maxQueued?: number
  /** Called after each commit that contains a public event. */
  readonly onPublished?: () => void
}

/**
 * Queues commands and forms batches. A command starts immediately if a lane is free. While the lanes are busy, commands
 * queue and share the next commit. An actor is never in two batches at once, and its commands keep their order.
 */
export const openDispatcher = (
  deps: Dependencies,
  registry: Registry,
  { lanes: max = 4, batchSize = 512, retryForMs = 10_000, maxQueued = 50_000, onPublished }: DispatcherOptions = {},
) => {
  const executor = { deps, registry, onPublished }
  const lockedActors = openLockedActors(deps)
  let queue: PendingUnit[] = []
  /** How many commands under way use an actor. A locked unit and those parked behind it may use the same actor. */
  const busy = new Map<string, number>()
  const lanes = openLanes({ max, batchSize })
  /** How many queued units wait for actors that are in a batch. */
  let waitingForActors = 0
  let parked = 0
  let scheduled = false
  let pumpsLater = false
  let drained: (() => void)[] = []

  const enqueue = (
    commands: readonly Command[],
    { settle, fail, waitsForLocks }: Pick<PendingUnit, 'settle' | 'fail' | 'waitsForLocks'>,
  ): void => {
    const keyed = commands[0]?.id !== undefined
    if (commands.some(({ id }) => (id !== undefined) !== keyed)) {
      fail(
        new TypeError(
          'cannot dispatch a bundle: some of its commands have ids and some have none, so a retry is unsafe',
        ),
      )
      return
    }
    if (queue.length >= maxQueued) {
      fail(new Unavailable(new Error(`the queue is full: ${queue.length} commands are waiting`)))
      return
    }
    queue.push({
      commands: commands.map(identify),
      keyed,
      settle,
      fail,
      waitsForLocks,
      deadline: performance.now() + retryForMs,
      conflicts: 0,
      phase: 'fresh',
    })
    schedule()
  }

  // Lower case, as the database returns UUIDs.
  const identify = (command: Command): IdentifiedCommand => {
    const actor = command.actor.toLowerCase()
    const id = command.id?.toLowerCase() ?? uuidv7(deps.clock.now(), deps.random)
    return { ...command, actor, id, key: keyOf(command.kind, actor) }
  }

  // Callers that were answered by the last commit dispatch their next commands in this turn of the event loop. Batches
  // start at its end, so that all of these commands share one.
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
      startBatch(units)
    }
    if (queue.length > 0) pumpLater()
  }

  /** Tries again when a batch under way is late, because a late batch does not hold up the next one. */
  const pumpLater = (): void => {
    if (pumpsLater) return
    pumpsLater = true
    setTimeout(() => {
      pumpsLater = false
      pump()
    }, LATE_MS)
  }

  const startBatch = (units: readonly PendingUnit[]): void => {
    const lane = lanes.enter(units.length)
    void executeBatch(executor, units)
      .catch((error): Unfinished => {
        for (const unit of units) unit.fail(error)
        return ALL_SETTLED
      })
      .then(unfinished => {
        lanes.leave(lane)
        if (unfinished.units.length + unfinished.locked.length > 0) park(units, unfinished)
        else release(units)
      })
  }

  /** Frees the lane. Units that will be retried keep their actors, so that later commands do not overtake them. */
  const park = (units: readonly PendingUnit[], unfinished: Unfinished): void => {
    const locked = new Map(unfinished.locked.map(({ unit, actors }) => [unit, actors]))
    const retried = new Set(unfinished.units)
    lockedActors.recordLocked([...locked.keys()], new Set([...locked.values()].flatMap(actors => [...actors])))
    const settled: PendingUnit[] = []
    const waiting: PendingUnit[] = []
    const taken = new Set<string>()
    for (const unit of units) {
      const actors = locked.get(unit)
      if (actors && !unit.waitsForLocks) unit.fail(new LockedOut())
      if (actors ? !unit.waitsForLocks : !retried.has(unit)) {
        settled.push(unit)
        continue
      }
      // Only the first unit of an actor is retried alone. The others wait for it, and share a batch afterwards.
      if (actors && !unit.commands.some(({ actor }) => taken.has(actor))) lockedUnits.add(unit)
      else waiting.push(unit)
      for (const { actor } of unit.commands) taken.add(actor)
    }
    release(settled)
    if (waiting.length === 0) return
    parked++
    setTimeout(() => {
      parked--
      queue = waiting.concat(queue)
      release(waiting)
    }, unfinished.pauseMs)
  }

  const lockedUnits = openLockedUnits({
    lockedActors,
    retry: async unit => {
      const actors = await findLocked(deps.sql, registry, [unit])
      return actors.size > 0 ? { ...ALL_SETTLED, locked: [{ unit, actors }] } : executeBatch(executor, [unit])
    },
    release: unit => release([unit]),
  })

  const occupy = (units: readonly PendingUnit[]): void => {
    for (const { commands } of units) for (const { actor } of commands) busy.set(actor, (busy.get(actor) ?? 0) + 1)
  }

  const release = (units: readonly PendingUnit[]): void => {
    for (const { commands } of units) {
      for (const { actor } of commands) {
        const others = (busy.get(actor) ?? 1) - 1
        if (others === 0) busy.delete(actor)
        else busy.set(actor, others)
      }
    }
    schedule()
  }

  /** Takes the next units in order, without those whose actors are busy and later ones for the same actors. */
  const takeBatch = (max: number): PendingUnit[] => {
    const units: PendingUnit[] = []
    const blocked = new Set<string>()
    const taken = new Set<string>()
    const left: PendingUnit[] = []
    let at = 0
    for (; at < queue.length && units.length < max; at++) {
      const unit = queue[at]
      if (!unit) break
      const isLocked = lockedActors.has(unit)
      if (isLocked && !unit.waitsForLocks && lockedActors.waitMs(unit) > 0) unit.fail(new LockedOut())
      else if (
        unit.commands.some(({ actor }) => busy.has(actor) || blocked.has(actor) || (isLocked && taken.has(actor)))
      ) {
        for (const { actor } of unit.commands) blocked.add(actor)
        left.push(unit)
      } else if (isLocked) {
        occupy([unit])
        lockedUnits.add(unit)
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

  // While `scheduled` is set, callers that were answered in this turn may still dispatch.
  const isIdle = (): boolean =>
    lanes.areFree() && parked === 0 && lockedUnits.isEmpty() && queue.length === 0 && !scheduled

  const wakeIdle = (): void => {
    if (!isIdle()) return
    for (const wake of drained) wake()
    drained = []
  }

  /** Resolves when nothing is queued or under way. */
  const idle = (): Promise<void> => (isIdle() ? Promise.resolve() : new Promise(wake => drained.push(wake)))

  return { enqueue, idle, longestLockWait: lockedActors.longestWait }
}
