import type { AttemptOutcome } from './outcome.ts'
import { openPace } from './pace.ts'
import { afterAnswer, afterSilence, newWindow, SLOW_MS, type Window } from './window.ts'

/** An endpoint as a sender remembers it: tuning, not truth, and gone with the process. */
export type Lane = {
  readonly id: string
  window: Window
  /** Requests under way. */
  open: number
  /** Those that have been waiting for too long. */
  silent: number
  /** Nothing is due before it, as far as is known: there lie only index entries of what was taken up before. */
  lowMs: number
  /** When it was last heard of. */
  usedAt: number
}

/** A request under way. */
export type Flight = { readonly lane: Lane; readonly startedAt: number }

/** What may be taken up for an endpoint. */
export type ClaimRequest = { readonly lane: Lane; readonly want: number }

/** What was taken up of it. */
export type ClaimResult = { readonly count: number; readonly lastDueMs: number }

/** Requests that count, at most: whoever has waited for an answer for ACTIVE_MS costs a socket and nothing else. */
const MOST_ACTIVE = 512
const ACTIVE_MS = 250
/** And at most so many in all, about 50 KB each. */
const MOST_OPEN = 4_096

const MOST_ASKED = 256
/** Of each claim, for endpoints that do not answer: a thousand of them that are dead must not hold up the others. */
const MOST_ASKED_OF_SUSPECTS = 32
/**
 * And for those that have let requests time out, each of which takes a new connection with all its cryptography:
 * a thousand time out together. Twice as many as it takes to have a request waiting at each.
 */
const UNANSWERED_PACE = { perSecond: 128, burst: 16 }

const FORGOTTEN_MS = 600_000

/**
 * Says which endpoints are sent to next, and how much. Whoever has waited longest for its turn comes first: by the
 * oldest delivery first, whoever has the longest backlog would starve everybody else.
 */
export const openRoster = () => {
  const lanes = new Map<string, Lane>()
  /** Those with something due, in the order of their turns. */
  const due = new Set<Lane>()
  // In the order they were started in, so that a look at those that have grown older ends at the first that has not.
  const active = new Set<Flight>()
  const waiting = new Set<Flight>()
  const silent = new Set<Flight>()
  let suspectsOpen = 0
  const unansweredPace = openPace(UNANSWERED_PACE)

  const laneOf = (id: string): Lane => {
    const known = lanes.get(id)
    if (known) return known
    const lane = { id, window: newWindow, open: 0, silent: 0, lowMs: Number.MAX_SAFE_INTEGER, usedAt: 0 }
    lanes.set(id, lane)
    return lane
  }

  /** There is something to do for an endpoint, and nothing due before that time. */
  const note = (id: string, lowMs: number, now: number): void => {
    const lane = laneOf(id)
    lane.lowMs = Math.min(lane.lowMs, lowMs)
    lane.usedAt = now
    due.add(lane)
  }

  const pick = (now: number): ClaimRequest[] => {
    const share = Math.max(1, Math.ceil(MOST_ACTIVE / due.size))
    let room = Math.min(MOST_ASKED, MOST_ACTIVE - active.size, MOST_OPEN - open())
    let suspectsRoom = Math.min(MOST_ASKED_OF_SUSPECTS, MOST_OPEN / 2 - suspectsOpen)
    const asked: ClaimRequest[] = []
    for (const lane of due) {
      if (room <= 0) break
      const forAll = Math.min(lane.window.size - lane.open, share - lane.open, room)
      // Most of a thousand that do not answer have their one request under way.
      if (forAll <= 0) continue
      const suspect = isSuspect(lane)
      const unanswered = isUnanswered(lane)
      const want = Math.min(forAll, suspect ? suspectsRoom : forAll, unanswered ? unansweredPace.room(now) : forAll)
      if (want <= 0) continue
      room -= want
      if (suspect) suspectsRoom -= want
      if (unanswered) unansweredPace.take(want)
      asked.push({ lane, want })
    }
    // The next turn is that of the others.
    for (const { lane } of asked) due.delete(lane)
    return asked
  }

  /** After a claim: whoever was given all it wanted may have more, from where that ended. */
  const given = ({ lane, want }: ClaimRequest, { count, lastDueMs }: ClaimResult): void => {
    // Something has been noted meanwhile that may be due before.
    if (due.has(lane)) return
    if (count > 0) lane.lowMs = Math.max(lane.lowMs, lastDueMs)
    if (count >= want) due.add(lane)
  }

  const start = (endpointId: string, now: number): Flight => {
    const lane = laneOf(endpointId)
    const flight = { lane, startedAt: now }
    lane.open++
    lane.usedAt = now
    if (isSuspect(lane)) suspectsOpen++
    active.add(flight)
    return flight
  }

  const end = (flight: Flight, outcome: AttemptOutcome): void => {
    const { lane } = flight
    lane.open--
    if (silent.delete(flight)) lane.silent--
    else if (!waiting.delete(flight)) active.delete(flight)
    lane.window = afterAnswer(lane.window, outcome)
  }

  /** One look at all of them every now and then takes less than a timer for each. */
  const look = (now: number): void => {
    for (const flight of active) {
      if (now - flight.startedAt < ACTIVE_MS) break
      active.delete(flight)
      waiting.add(flight)
    }
    for (const flight of waiting) {
      if (now - flight.startedAt < SLOW_MS) break
      waiting.delete(flight)
      silent.add(flight)
      flight.lane.silent++
      flight.lane.window = afterSilence(flight.lane.window)
    }
    suspectsOpen = 0
    for (const lane of lanes.values()) {
      if (isSuspect(lane)) suspectsOpen += lane.open
      if (lane.open === 0 && now - lane.usedAt > FORGOTTEN_MS && !due.has(lane)) lanes.delete(lane.id)
    }
  }

  const open = (): number => active.size + waiting.size + silent.size

  return { note, pick, given, start, end, look, open, hasDue: () => due.size > 0 }
}

export type Roster = ReturnType<typeof openRoster>

const isUnanswered = ({ window }: Lane): boolean => window.unanswered > 0

const isSuspect = (lane: Lane): boolean => lane.silent > 0 || isUnanswered(lane)
