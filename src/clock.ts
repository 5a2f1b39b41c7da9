/**
 * Database time. Deadlines are decided by one clock whatever the machines' own clocks say:
 * answers of the database carry its time, and between answers a monotonic counter goes on from
 * there, so that a step of the local clock changes nothing.
 */
export type Clock = {
  now(): Date
  /** Told the database's time by an answer, and how long ago it was asked. */
  learn(databaseTime: Date, askedMsAgo: number): void
}

export const databaseClock = (): Clock => {
  let offset = Date.now() - performance.now()
  return {
    now: () => new Date(offset + performance.now()),
    // The database read its clock somewhere between the question and now. An estimate that lies in
    // between is kept, so that time does not jitter with every answer; another moves to the nearer end.
    learn: (databaseTime, askedMsAgo) => {
      const latest = databaseTime.getTime() - (performance.now() - askedMsAgo)
      const earliest = databaseTime.getTime() - performance.now()
      offset = Math.min(Math.max(offset, earliest), latest)
    },
  }
}

export type ManualClock = Clock & { advance(ms: number): void; set(time: Date): void }

/** A clock that only moves when told to. */
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
