import { LockedOut } from './command.ts'
import type { Pending } from './dispatcher.ts'
import type { Lockouts } from './lockouts.ts'

type Means = {
  readonly lockouts: Lockouts
  /** Tries a unit alone; answers whether it is settled. */
  readonly retry: (unit: Pending) => Promise<boolean>
  /** The unit is settled: its actors are free for what waits behind it. */
  readonly release: (unit: Pending) => void
}

/** A command takes milliseconds, on a busy machine some more. */
const LAST_TRY_MS = 500

/**
 * Units that met a locked row. They are retried alone, one at a time and ever more seldom, until the row is free or the
 * unit's patience is over. One at a time, so that any number of them takes one connection from the others.
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
    timer = setTimeout(() => void tryNext(), Math.max(0, nextMs))
  }

  const tryNext = async (): Promise<void> => {
    const unit = [...held].find(each => waitMs(each) <= 0)
    if (unit && !trying) {
      trying = true
      const settled = await retry(unit)
      trying = false
      if (settled) lockouts.passed(unit)
      else {
        lockouts.met(unit)
        // Tried again before another unit is, the first would be the only one that is ever tried.
        held.delete(unit)
        held.add(unit)
      }
      if (settled || isOver(unit)) {
        held.delete(unit)
        if (!settled) unit.fail(new LockedOut())
        release(unit)
      }
    }
    plan()
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
