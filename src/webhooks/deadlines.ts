/** Ends what has not ended by itself in time. All have the same time, so the one that began first is the first to be late. */
export type Deadlines = {
  /** `end` is called once, late by `EVERY_MS` at most, unless `done` was before. */
  add(end: () => void): Deadline
  /** Ends all that is open now. */
  close(): void
}

export type Deadline = { readonly done: () => void }

/** One look at the oldest every so often: a timer for each of ten thousand requests a second costs more than they do. */
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
      timer ??= setInterval(() => endUntil(performance.now()), EVERY_MS)
      return { done: () => void open.delete(entry) }
    },
    close: () => endUntil(Number.POSITIVE_INFINITY),
  }
}

const EVERY_MS = 50
