type Means<Answer, About, Made> = {
  /** Of an answer, by what was asked for; what is thrown rejects. */
  readonly make: (answer: Answer, about: About) => Made
  readonly late: () => unknown
  readonly failed: (error: unknown) => unknown
}

/**
 * Waits for answers with a bound, all of them by one clock: a timer and a race for each would cost
 * more than reading what arrives. It ticks every hundredth of the bound, and not while nobody waits.
 */
export const openPatience = <Answer, About, Made>(ms: number, { make, late, failed }: Means<Answer, About, Made>) => {
  const waiting = new Set<Waiting>()
  let ticking: ReturnType<typeof setInterval> | undefined

  const tick = (): void => {
    const now = performance.now()
    // In the order in which they began.
    for (const entry of waiting) {
      if (entry.until > now) break
      waiting.delete(entry)
      entry.reject(late())
    }
    if (waiting.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }

  /** What is made of the answer, or the refusal of whoever is late. */
  return (arriving: Promise<Answer>, about: About): Promise<Made> =>
    new Promise((resolve, reject) => {
      const entry = { until: performance.now() + ms, reject }
      waiting.add(entry)
      ticking ??= setInterval(tick, Math.max(1, ms / 100))
      arriving.then(
        answer => {
          // Who was refused as late is not worked for.
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
