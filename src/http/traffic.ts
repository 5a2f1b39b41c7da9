/** Responses of this process since its start: by route and status, with their durations. */
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

/** Number of requests up to each duration in seconds, and the total. */
export type Duration = {
  readonly route: string
  readonly upTo: readonly (readonly [seconds: number, count: number])[]
  readonly count: number
  readonly seconds: number
}

const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

export const openTraffic = (): Traffic => {
  const routes = new Map<string, Noted>()

  return {
    note: (route, method, status, ms) => {
      let noted = routes.get(route)
      if (!noted) {
        noted = { counts: new Map(), buckets: BOUNDS_MS.map(() => 0), count: 0, ms: 0 }
        routes.set(route, noted)
      }
      noted.count++
      noted.ms += ms
      const bucket = BOUNDS_MS.findIndex(bound => ms <= bound)
      if (bucket >= 0) noted.buckets[bucket] = (noted.buckets[bucket] ?? 0) + 1
      let counts = noted.counts.get(method)
      if (!counts) {
        counts = new Map()
        noted.counts.set(method, counts)
      }
      counts.set(status, (counts.get(status) ?? 0) + 1)
    },
    answered: () =>
      [...routes].flatMap(([route, { counts }]) =>
        [...counts].flatMap(([method, byStatus]) =>
          Array.from(byStatus, ([status, count]) => ({ route, method, status, count })),
        ),
      ),
    durations: () =>
      Array.from(routes, ([route, { buckets, count, ms }]) => {
        let sum = 0
        const upTo = BOUNDS_MS.map((bound, n) => {
          sum += buckets[n] ?? 0
          return [bound / 1_000, sum] as const
        })
        return { route, upTo, count, seconds: ms / 1_000 }
      }),
  }
}

/** Counters of one route. Nested maps, because building a combined key took longer than counting. */
type Noted = {
  /** By method and status. */
  readonly counts: Map<string, Map<number, number>>
  readonly buckets: number[]
  count: number
  ms: number
}
