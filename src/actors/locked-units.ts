import type { Pending } from './batch.ts'
import { LockedOut, Unavailable } from './command.ts'
import type { Lockouts } from './lockouts.ts'
import type { Again } from './trouble.ts'

type Means = {
  readonly lockouts: Lockouts
  /** Tries a unit alone. */
  readonly retry: (unit: Pending) => Promise<Again>
  /** The unit is settled: its actors are free for what waits behind it. */
  readonly release: (unit: Pending) => void
}

/** A command takes milliseconds, on a busy machine some more. */
const LAST_TRY_MS = 500

/** Between two tries of any units. */
const SHORTEST_PAUSE_MS = 5

/**
 * Units that met a locked row, at most one for each actor. They are retried alone, one at a time and ever more seldom,
 * until the row is free or the unit's patience is over. One at a time, so that any number of them takes one connection
 * from the others.
 */
export const openLockedUnits = ({ lockouts, retry, release }: Means) => {
  const held = new Set<Pending>()
  let trying = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** A last time before its patience is over. */
  const waitMs = (unit: Pending): number =>
    Math.min(lockouts.waitMs(unit), unit.deadline - LAST_TRY_MS - performance.now())

  const plan = (): void => {
    clearTimeout(timer)
    if (trying || held.size === 0) return
    let nextMs = Number.POSITIVE_INFINITY
    for (const unit of held) nextMs = Math.min(nextMs, waitMs(unit))
    timer = setTimeout(() => void tryNext(), Math.max(SHORTEST_PAUSE_MS, nextMs))
  }

  const tryNext = async (): Promise<void> => {
    const unit = [...held].find(each => waitMs(each) <= 0)
    if (unit && !trying) {
      trying = true
      const problem = await attempt(unit)
      trying = false
      // Behind the others: tried again before them, it would be the only one that is ever tried.
      held.delete(unit)
      if (problem === undefined) lockouts.passed(unit)
      else if (isOver(unit)) unit.fail(problem)
      else held.add(unit)
      if (!held.has(unit)) release(unit)
    }
    plan()
  }

  /** Undefined when the unit is settled, else what it fails with when its patience is over. */
  const attempt = async (unit: Pending): Promise<Unavailable | undefined> => {
    try {
      const { locked, units } = await retry(unit)
      if (locked.length + units.length === 0) return undefined
      for (const { actors } of locked) lockouts.met([unit], actors)
      if (locked.length > 0) return new LockedOut()
      lockouts.tried(unit)
      return new Unavailable(new Error('the command lost to others, or its answer was lost'))
    } catch (error) {
      lockouts.tried(unit)
      return new Unavailable(error)
    }
  }

  const isOver = ({ waitsForLocks, deadline }: Pending): boolean =>
    !waitsForLocks || performance.now() >= deadline - LAST_TRY_MS

  return {
    hold: (unit: Pending): void => {
      held.add(unit)
      plan()
    },
    areNone: (): boolean => held.size === 0,
  }
}
