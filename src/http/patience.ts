type Means<Answer, About, Made> = {
  /** Converts an answer. An exception rejects. */
  readonly make: (answer: Answer, about: About) => Made
  readonly late: () => unknown
  readonly failed: (error: unknown) => unknown
}

/**
 * Waits for answers with a time limit, with one timer for all: a timer and a race for each would cost more than reading the
 * body. The timer runs every hundredth of the limit, and stops while nothing is waiting.
 */
export const openTimeouts = <Answer, About, Made>(ms: number, { make, late, failed }: Means<Answer, About, Made>) => {
  const waiting = new Set<Waiting>()
  let ticking: ReturnType<typeof setInterval> | undefined

  const tick = (): void => {
    const now = performance.now()
    // Oldest first.
    for (const entry of waiting) {
      if (entry.until > now) break
      waiting.delete(entry)
      entry.reject(late())
    }
    if (waiting.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }

  /** Resolves with the converted answer, or rejects after the time limit. */
  return (arriving: Promise<Answer>, about: About): Promise<Made> =>
    new Promise((resolve, reject) => {
      const entry = { until: performance.now() + ms, reject }
      waiting.add(entry)
      ticking ??= setInterval(tick, Math.max(1, ms / 100))
      arriving.then(
        answer => {
          // Already rejected after the time limit.
          if (!waiting.delete(entry)) return
          try {
            resolve(make(answer, about))
          } catch (error) {
            reject(error)
          }
        },
        error => {
          waiting.delete(entry)
          reject(failed(error))
        },
      )
    })
}

type Waiting = { readonly until: number; reject(error: unknown): void }
