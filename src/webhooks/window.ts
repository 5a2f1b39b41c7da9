import type { AttemptOutcome } from './outcome.ts'

/**
 * How many requests an endpoint is sent at once. A fixed few would make a receiver far away a slow one, 38
 * deliveries a second at 100 ms; an open end would let a dead one hold every socket.
 */
export type Window = {
  readonly size: number
  /** Requests in a row that nobody answered. */
  readonly unanswered: number
}

const FIRST = 4
const MOST = 64
const UNANSWERED = 5

/** A request that waits for longer than this says that there are too many of them. */
export const SLOW_MS = 1_000

export const newWindow: Window = { size: FIRST, unanswered: 0 }

/** After an answer, or none: quick ones double it in each round trip. What was never sent says nothing. */
export const afterAnswer = ({ size, unanswered }: Window, { outcome, httpStatus, durationMs }: Answer): Window => {
  if (outcome === 'delivered') {
    const grows = (durationMs ?? 0) < SLOW_MS || size < FIRST
    return { size: grows ? Math.min(size + 1, MOST) : Math.max(Math.floor(size / 2), FIRST), unanswered: 0 }
  }
  if (httpStatus !== null) {
    const overwhelmed = httpStatus === 429 || httpStatus >= 500
    return { size: overwhelmed ? Math.max(Math.floor(size / 2), 1) : size, unanswered: 0 }
  }
  if (durationMs === null || outcome === 'forbidden_address') return { size, unanswered }
  return { size: unanswered + 1 >= UNANSWERED ? 1 : size, unanswered: unanswered + 1 }
}

type Answer = Pick<AttemptOutcome, 'outcome' | 'httpStatus' | 'durationMs'>

/** Without waiting for the end of a request that nobody may ever answer. */
export const afterSilence = ({ size, unanswered }: Window): Window => ({ size: Math.min(size, FIRST), unanswered })
