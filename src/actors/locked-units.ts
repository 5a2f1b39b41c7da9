import type { PendingUnit } from './batch.ts'
import { LockedOut, Unavailable } from './command.ts'
import type { Unfinished } from './failures.ts'
import type { LockedActors } from './locked-actors.ts'

type LockedUnitsOptions = {
  readonly lockedActors: LockedActors
  /** Executes a unit alone. */
  readonly retry: (unit: PendingUnit) => Promise<Unfinished>
  /** Called when the unit is settled and its actors are free for the next units. */
  readonly release: (unit: PendingUnit) => void
}

/** The last attempt begins this long before the deadline. A command takes milliseconds, more on a busy machine. */
const LAST_ATTEMPT_MS = 500

/** The shortest pause between two attempts of any units. */
const MIN_PAUSE_MS = 5

/**
 * Units whose row is locked, at most one for each actor. Each is retried alone with growing pauses, until the row is
 * free or the unit's deadline has passed. Only one attempt runs at a time, so that any number of locked units uses only
 * one connection.
 */
export const openLockedUnits = ({ lockedActors, retry, release }: LockedUnitsOptions) => {
  const waiting = new Set<PendingUnit>()
  let trying = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** How long until the next attempt. The last one begins shortly before the deadline. */
  const waitMs = (unit: PendingUnit): number =>
    Math.min(lockedActors.waitMs(unit), unit.deadline - LAST_ATTEMPT_MS - performance.now())

  const scheduleNext = (): void => {
    clearTimeout(timer)
    if (trying || waiting.size === 0) return
    let nextMs = Number.POSITIVE_INFINITY
    for (const unit of waiting) nextMs = Math.min(nextMs, waitMs(unit))
    timer = setTimeout(() => void tryNext(), Math.max(MIN_PAUSE_MS, nextMs))
  }

  const tryNext = async (): Promise<void> => {
    const unit = [...waiting].find(each => waitMs(each) <= 0)
    if (unit && !trying) {
      trying = true
      const problem = await attempt(unit)
      trying = false
      // Move it to the end of the set. At the front it would be the only unit that is ever retried.
      waiting.delete(unit)
      if (problem === undefined) lockedActors.recordSettled(unit)
      else if (isExpired(unit)) unit.fail(problem)
      else waiting.add(unit)
      if (!waiting.has(unit)) release(unit)
    }
    scheduleNext()
  }

  /** Returns undefined if the unit is settled, otherwise the error it fails with when its deadline has passed. */
  const attempt = async (unit: PendingUnit): Promise<Unavailable | undefined> => {
    try {
      const { locked, units } = await retry(unit)
      if (locked.length + units.length === 0) return undefined
      for (const { actors } of locked) lockedActors.recordLocked([unit], actors)
      if (locked.length > 0) return new LockedOut()
      lockedActors.recordAttempt(unit)
      return new Unavailable(new Error('the command conflicted with others, or its answer was lost'))
    } catch (error) {
      lockedActors.recordAttempt(unit)
      return new Unavailable(error)
    }
  }

  const isExpired = ({ waitsForLocks, deadline }: PendingUnit): boolean =>
    !waitsForLocks || performance.now() >= deadline - LAST_ATTEMPT_MS

  return {
    add: (unit: PendingUnit): void => {
      waiting.add(unit)
      scheduleNext()
    },
    isEmpty: (): boolean => waiting.size === 0,
  }
}
