/**
 * Database time. Deadlines are decided by one clock whatever the machines' own clocks say:
 * every answer of the database carries its time, and between answers a monotonic counter goes on
 * from there, so that a step of the local clock changes nothing.
 */
export type Clock = {
  now(): Date
  /** Told the database's time whenever an answer carries it. */
  learn(databaseTime: Date): void
}

export const databaseClock = (): Clock => {
  let learned = Date.now()
  let at = performance.now()
  return {
    now: () => new Date(learned + (performance.now() - at)),
    learn: databaseTime => {
      learned = databaseTime.getTime()
      at = performance.now()
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
