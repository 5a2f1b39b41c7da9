/**
 * Database time. All processes use one clock for deadlines: answers of the database contain its time, and between
 * answers a monotonic counter continues from there. A step of the local clock has no effect.
 */
export type Clock = {
  now(): Date
  /** Adjusts the clock to the database time in an answer, and how long ago the query was sent. */
  learn(databaseTime: Date, sentMsAgo: number): void
}

export const databaseClock = (): Clock => {
  let offset = Date.now() - performance.now()
  return {
    now: () => new Date(offset + performance.now()),
    // The database read its clock at some time between sending and now. An offset within this interval is kept, so that
    // the time does not jitter with every answer. Otherwise it is moved to the nearer end.
    learn: (databaseTime, sentMsAgo) => {
      const latest = databaseTime.getTime() - (performance.now() - sentMsAgo)
      const earliest = databaseTime.getTime() - performance.now()
      offset = Math.min(Math.max(offset, earliest), latest)
    },
  }
}

export type ManualClock = Clock & { advance(ms: number): void; set(time: Date): void }

/** A clock for tests that moves only by `advance` and `set`. */
export const manualClock = (start = new Date('2026-01-01T00:00:00.000Z')): ManualClock => {
  let time = start.getTime()
  return {
    now: () => new Date(time),
    learn: () => {},
    advance: ms => {
      time += ms
    },
    set: to => {
      time = to.getTime()
    },
  }
}
