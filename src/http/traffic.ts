/** What this process has answered since it began: by route and status, and how long it took. */
export type Traffic = {
  note(route: string, method: string, status: number, ms: number): void
  answered(): readonly Answered[]
  durations(): readonly Duration[]
}

export type Answered = {
  readonly route: string
  readonly method: string
  readonly status: number
  readonly count: number
}

/** How many took at most so long, by upper bound in seconds; and all of them together. */
export type Duration = {
  readonly route: string
  readonly upTo: readonly (readonly [seconds: number, count: number])[]
  readonly count: number
  readonly seconds: number
}

const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

export const openTraffic = (): Traffic => {
  const counts = new Map<string, { readonly of: Omit<Answered, 'count'>; count: number }>()
  const times = new Map<string, { readonly buckets: number[]; count: number; ms: number }>()

  return {
    note: (route, method, status, ms) => {
      const name = `${method} ${status} ${route}`
      const known = counts.get(name)
      if (known) known.count++
      else counts.set(name, { of: { route, method, status }, count: 1 })
      let time = times.get(route)
      if (!time) {
        time = { buckets: BOUNDS_MS.map(() => 0), count: 0, ms: 0 }
        times.set(route, time)
      }
      time.count++
      time.ms += ms
      const bucket = BOUNDS_MS.findIndex(bound => ms <= bound)
      if (bucket >= 0) time.buckets[bucket] = (time.buckets[bucket] ?? 0) + 1
    },
    answered: () => Array.from(counts.values(), ({ of, count }) => ({ ...of, count })),
    durations: () =>
      Array.from(times, ([route, { buckets, count, ms }]) => {
        let sum = 0
        const upTo = BOUNDS_MS.map((bound, n) => {
          sum += buckets[n] ?? 0
          return [bound / 1_000, sum] as const
        })
        return { route, upTo, count, seconds: ms / 1_000 }
      }),
  }
}
