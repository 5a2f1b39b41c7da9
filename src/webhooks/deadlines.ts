/** Timeouts of the same length, which expire in the order in which they were added. */
export type Deadlines = {
  /** Calls `end` once after the timeout, late by `CHECK_MS` at most, unless `done` was called. */
  add(end: () => void): Deadline
  /** Calls `end` of all open deadlines. */
  close(): void
}

export type Deadline = { readonly done: () => void }

/**
 * One timer checks the oldest deadlines: a timer for each of ten thousand requests a second costs more than the
 * requests.
 */
export const openDeadlines = (timeoutMs: number): Deadlines => {
  const open = new Set<{ readonly at: number; readonly end: () => void }>()
  let timer: ReturnType<typeof setInterval> | undefined

  const endUntil = (now: number) => {
    for (const entry of open) {
      if (entry.at > now) break
      open.delete(entry)
      entry.end()
    }
    if (open.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    add: end => {
      const entry = { at: performance.now() + timeoutMs, end }
      open.add(entry)
      timer ??= setInterval(() => endUntil(performance.now()), CHECK_MS)
      return { done: () => void open.delete(entry) }
    },
    close: () => endUntil(Number.POSITIVE_INFINITY),
  }
}

const CHECK_MS = 50
